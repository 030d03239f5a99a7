// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.netserv.mediarelay.core.KeptAllocation.Bound;
import org.netserv.mediarelay.core.KeptAllocation.Permitted;
import org.netserv.mediarelay.core.KeptAllocation.Relayed;
import org.netserv.stun.DontFragment;
import org.netserv.stun.StunMethod;

class AllocationBytesTest {
  private static final long MILLIS = 1_700_000_000_000L;

  private final Stage stage = new Stage();
  private final Stage.User user = stage.user("alice");
  private final Client client = stage.client(1);
  private final ByteBuffer bytes = ByteBuffer.allocate(AllocationBytes.MOST);

  private Allocation allocation() {
    stage.succeed(user, client, StunMethod.ALLOCATE, Stage.udp(DontFragment::put));
    stage.pass(10);
    stage.succeed(user, client, StunMethod.CREATE_PERMISSION, Stage.peer(5000));
    stage.succeed(user, client, StunMethod.CHANNEL_BIND, Stage.channel(0x4001, Stage.peer(5000)));
    return stage.of(client);
  }

  private void put(Allocation of) {
    assertTrue(AllocationBytes.put(bytes, of, stage.now, MILLIS));
  }

  @Test
  void keepsEverythingThatTheClientRelies() {
    Allocation of = allocation();
    put(of);
    KeptAllocation kept = AllocationBytes.get(bytes);
    assertEquals(
        new KeptAllocation(
            of.transaction(),
            client.high(),
            client.low(),
            client.port(),
            client.serverPort(),
            new Relayed(of.port(4), MILLIS + 590_000, true),
            null,
            "alice",
            false,
            List.of(new Permitted(0, Stage.PEER, MILLIS + 300_000)),
            List.of(new Bound(0x4001, 0, Stage.PEER, 5000, MILLIS + 600_000))),
        kept);
  }

  @Test
  void keepsNoClientOfAConnection() {
    Client stream = stage.client(Transport.TCP, 2);
    stage.allocate(stage.user("bob"), stream);
    assertFalse(AllocationBytes.put(bytes, stage.of(stream), stage.now, MILLIS));
  }

  @Test
  void refusesAUserWhoseNameIsTooLong() {
    Stage.User one = stage.user("u".repeat(AllocationBytes.USER_MOST + 1));
    stage.allocate(one, client);
    assertFalse(AllocationBytes.put(bytes, stage.of(client), stage.now, MILLIS));
  }

  /** A record with as many permissions and channels as the relay's limits allow. */
  @Test
  void keepsTheFirstOnesIfThereAreTooMany() {
    Limits many = new Limits(10, 10, 64, 64, 600, 3600, 0, 0, true, true);
    Stage large = new Stage(many, 16, 0);
    Stage.User one = large.user("u".repeat(AllocationBytes.USER_MOST));
    Client from = large.client(1);
    large.allocate(one, from);
    for (int i = 0; i < 40; i++) {
      large.succeed(
          one,
          from,
          StunMethod.CHANNEL_BIND,
          Stage.channel(0x4000 + i, Stage.peer(0, Stage.PEER + i, 5000)));
    }
    assertTrue(AllocationBytes.put(bytes, large.of(from), large.now, MILLIS));
    assertTrue(bytes.limit() <= AllocationBytes.MOST);
    KeptAllocation kept = AllocationBytes.get(bytes);
    assertEquals(AllocationBytes.PERMISSIONS_MOST, kept.permissions().size());
    assertEquals(AllocationBytes.CHANNELS_MOST, kept.channels().size());
    assertEquals(0x4000, kept.channels().get(0).number());
  }

  @Test
  void aRecordThatIsCutOffAnywhereIsNone() {
    put(allocation());
    int whole = bytes.limit();
    for (int length = 0; length < whole; length++) {
      assertNull(AllocationBytes.get(bytes.duplicate().limit(length)), "length " + length);
      ByteBuffer overOld = ByteBuffer.allocate(AllocationBytes.MOST);
      overOld.put(0, bytes, 0, length); // the rest is of nobody
      assertNull(AllocationBytes.get(overOld), "overwritten up to " + length);
    }
    assertNotNull(AllocationBytes.get(bytes));
  }

  @Test
  void aChangedByteMakesItNone() {
    put(allocation());
    for (int i = 0; i < bytes.limit(); i++) {
      bytes.put(i, (byte) (bytes.get(i) ^ 0x10));
      assertNull(AllocationBytes.get(bytes), "byte " + i);
      bytes.put(i, (byte) (bytes.get(i) ^ 0x10));
    }
  }

  /** Bytes of chance with a right checksum: whatever they say, nothing is read past them. */
  @Test
  void bytesOfChanceAreReadOrRefused() {
    Random random = new Random(8016);
    int read = 0;
    for (int i = 0; i < 200_000; i++) {
      ByteBuffer chance = ByteBuffer.allocate(random.nextInt(200));
      random.nextBytes(chance.array());
      if (chance.capacity() >= 60) {
        chance.putShort(4, (short) chance.capacity()).put(6, (byte) 1);
        chance.putShort(56, (short) random.nextInt(chance.capacity() - 58));
        chance.put(58, (byte) random.nextInt(3)).put(59, (byte) random.nextInt(3));
        CRC32C sum = new CRC32C();
        sum.update(chance.duplicate().position(4));
        chance.putInt(0, (int) sum.getValue());
      }
      read += AllocationBytes.get(chance) == null ? 0 : 1;
    }
    assertTrue(read > 0);
  }
}
