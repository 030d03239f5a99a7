// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.netserv.coverage.count.Counters;
import org.netserv.provider.base.Counter;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;

/** Reports by docs/protocols/keepalive-report.md. */
class ReportDoorTest {
  static final byte[] KEY = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  private static final long NOW = 1_800_000_000_000L;

  private final Counters counters = new Counters(Counter.values());
  private final ReportDoor door = new ReportDoor(KEY, counters);

  private static ByteBuffer body(long instance, long sequence, long time, int entries) {
    ByteBuffer out = ByteBuffer.allocate(52 + entries * 24);
    out.putInt(0x4e534b52).put((byte) 1).put((byte) 0).putShort((short) entries);
    out.putLong(instance).putLong(sequence).putLong(time);
    out.put(mapped(192, 0, 2, 10)).putShort((short) 5060).put((byte) 1).put((byte) 0);
    for (int i = 0; i < entries; i++) {
      out.put((byte) (1 + i % 2)).put((byte) 17).putShort((short) (1000 + i));
      out.put(mapped(198, 51, 100, i)).putInt(i);
    }
    return out.flip();
  }

  private static byte[] mapped(int... v4) {
    ByteBuffer out = ByteBuffer.allocate(16).putLong(0).putShort((short) 0).putShort((short) -1);
    for (int part : v4) {
      out.put((byte) part);
    }
    return out.array();
  }

  private static ByteBuffer signed(ByteBuffer body) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(KEY, "HmacSHA256"));
    mac.update(body.duplicate());
    return ByteBuffer.allocate(body.remaining() + 32).put(body).put(mac.doFinal()).flip();
  }

  private static ByteBuffer report(long instance, long sequence, long time, int entries)
      throws GeneralSecurityException {
    return signed(body(instance, sequence, time, entries));
  }

  @Test
  void aReportIsReadInFull() throws GeneralSecurityException, BadValueException {
    Report read = door.admit(report(5, 1, NOW, 2), NOW).orElseThrow();
    assertEquals(Addresses.parse("192.0.2.10"), read.server());
    assertEquals(Report.ServerState.ALIVE, read.state());
    assertEquals(
        List.of(
            new Report.Entry(false, true, Addresses.parse("198.51.100.0"), 1000, 0),
            new Report.Entry(true, true, Addresses.parse("198.51.100.1"), 1001, 1)),
        read.entries());
    assertTrue(door.admit(report(5, 2, NOW, 46), NOW).isPresent());
  }

  @Test
  void aReportThatComesAgainIsRefusedByItsNumberAndLaterByItsTime()
      throws GeneralSecurityException {
    ByteBuffer first = report(5, 7, NOW, 1);
    assertTrue(door.admit(first.duplicate(), NOW).isPresent());
    assertFalse(door.admit(first.duplicate(), NOW).isPresent());
    assertEquals(1, counters.get(Counter.REPORTS_REPEATED));
    assertTrue(door.admit(report(6, 1, NOW, 1), NOW).isPresent(), "another node's module");
    assertFalse(door.admit(first.duplicate(), NOW + 10 * ReportDoor.CLOCK).isPresent());
    assertEquals(1, counters.get(Counter.REPORTS_CLOCK));
  }

  @Test
  void eachByteAndEachLengthCounts() throws GeneralSecurityException {
    byte[] whole = report(5, 1, NOW, 2).array();
    for (int i = 0; i < whole.length; i++) {
      byte[] changed = whole.clone();
      changed[i] ^= 1;
      assertFalse(door.admit(ByteBuffer.wrap(changed), NOW).isPresent(), "byte " + i);
      assertFalse(door.admit(ByteBuffer.wrap(whole, 0, i), NOW).isPresent(), i + " bytes");
    }
    assertEquals(2L * whole.length, counters.get(Counter.REPORTS_FORGED));
    assertTrue(door.admit(ByteBuffer.wrap(whole), NOW).isPresent());
  }

  @Test
  void aWrongBodyWithTheRightCodeIsRefused() throws GeneralSecurityException {
    Random random = new Random(5);
    int refused = 0;
    for (int round = 0; round < 20_000; round++) {
      byte[] body = body(5, round, NOW, round % 4).array();
      body[random.nextInt(body.length)] = (byte) random.nextInt();
      if (round % 3 == 0) {
        body = Arrays.copyOf(body, random.nextInt(body.length + 30));
      }
      refused += door.admit(signed(ByteBuffer.wrap(body)), NOW).isPresent() ? 0 : 1;
    }
    assertTrue(refused > 5_000 && counters.get(Counter.REPORTS_BAD) > 1_000, "" + refused);
  }

  @Test
  void moduleInstancesAreBounded() throws GeneralSecurityException {
    for (int i = 0; i < ReportDoor.MOST_INSTANCES + 10; i++) {
      door.admit(report(i, 1, NOW, 0), NOW);
    }
    assertEquals(ReportDoor.MOST_INSTANCES, door.instances());
    assertEquals(10, counters.get(Counter.REPORTS_FULL));
    long later = NOW + 4 * ReportDoor.CLOCK;
    assertTrue(door.admit(report(-1, 1, later, 0), later).isPresent());
    assertEquals(1, door.instances());
  }
}
