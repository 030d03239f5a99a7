// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.netserv.stun.ErrorCode;
import org.netserv.stun.StunMethod;

/** A first relay that is killed, and a second one that has what the first one has kept. */
class RestorerTest {
  private static final long MILLIS = 1_700_000_000_000L;
  private static final PeerRules ANY =
      new PeerRules(List.of(), List.of(), List.of(), List.of(), true, false, 1);

  private final Stage first = new Stage();
  private final Stage second = new Stage();
  private final Client client = first.client(1);
  private final List<String> bound = new ArrayList<>();

  private KeptAllocation kept() {
    Stage.User user = first.user("alice");
    first.allocate(user, client);
    first.succeed(user, client, StunMethod.CHANNEL_BIND, Stage.channel(0x4001, Stage.peer(5000)));
    return kept(client);
  }

  private KeptAllocation kept(Client of) {
    ByteBuffer bytes = ByteBuffer.allocate(AllocationBytes.MOST);
    assertTrue(AllocationBytes.put(bytes, first.of(of), first.now, MILLIS));
    return AllocationBytes.get(bytes);
  }

  private Allocation restore(KeptAllocation kept, int secondsLater, PeerRules rules) {
    long millis = MILLIS + 1000L * secondsLater;
    Restorer restorer = new Restorer(second.allocations, rules, second.tally, second.now, millis);
    Allocation made = restorer.restore(kept, second.client(1));
    restorer.open();
    return made;
  }

  @Test
  void theClientGoesOnWhereItWas() {
    KeptAllocation kept = kept();
    int port = first.of(client).port(4);
    second.allocations.watch(
        new Allocations.ChannelWatch() {
          @Override
          public void bound(Allocation of, Channel channel) {
            bound.add(channel.number() + " " + of.nanosLeft(channel, second.now) / Stage.SECOND);
          }

          @Override
          public void permitted(Allocation of, long high, long low) {}

          @Override
          public void unbound(Allocation of, Channel channel) {}
        });
    Allocation made = restore(kept, 20, ANY);
    assertEquals(made, second.of(second.client(1)));
    assertEquals(port, made.port(4));
    assertEquals(Set.of("4/" + port), second.open);
    assertEquals(5000, made.channel(0x4001, second.now).port());
    assertEquals(List.of("16385 280"), bound);
    assertEquals(1, second.tally.get(Why.RESTORED));
    assertEquals(1, second.accounts.of("alice").allocations());
  }

  @Test
  void itsRequestsAreAnsweredAfterANewNonce() {
    restore(kept(), 0, ANY);
    Stage.User user = second.user("alice");
    second.succeed(user, second.client(1), StunMethod.REFRESH, writer -> {});
    second.refused(
        437, Why.ALLOCATION_EXISTS, user, second.client(1), StunMethod.ALLOCATE, Stage.udp());
    second.refused(
        441,
        Why.WRONG_USER,
        second.user("mallory"),
        second.client(1),
        StunMethod.REFRESH,
        writer -> {});
  }

  /** The key is not kept, so credentials count as those of a stranger. */
  @Test
  void credentialsThatHaveExpiredDoNotCountAnyMore() {
    Stage.User user = second.user("alice");
    restore(kept(), 0, ANY);
    second.unix += 4000;
    assertEquals(
        401,
        ErrorCode.get(second.user("alice").askOnce(second.client(1), StunMethod.REFRESH, w -> {})));
    assertEquals(401, ErrorCode.get(user.ask(second.client(1), StunMethod.REFRESH, w -> {})));
  }

  @Test
  void nothingLivesLongerThanItWouldHave() {
    Allocation made = restore(kept(), 250, ANY);
    assertTrue(made.allows(0, Stage.PEER, second.now));
    second.pass(51); // 300 s of the permission
    assertFalse(made.allows(0, Stage.PEER, second.now));
    assertNotNull(made.channel(0x4001, second.now));
    second.pass(298);
    assertTrue(made.isLive());
    second.pass(2); // 600 s
    assertTrue(made.isGone());
    assertEquals(Set.of(), second.open);
    assertEquals(1, second.tally.get(Why.EXPIRED));
  }

  @Test
  void isNotMadeAgainAfterItsTime() {
    KeptAllocation kept = kept();
    assertNull(restore(kept, 600, ANY));
    assertNull(restore(kept, 86_400, ANY));
    assertEquals(Set.of(), second.open);
    assertEquals(0, second.allocations.count());
  }

  @Test
  void aClockThatWasSetBackGivesNoMoreThanTheLongestLifetime() {
    Allocation made = restore(kept(), -1_000_000, ANY);
    assertEquals(3600, made.secondsLeft(second.now));
    Channel channel = made.channel(0x4001, second.now);
    assertEquals(300 * Stage.SECOND, made.nanosLeft(channel, second.now));
  }

  @Test
  void peersThatTheRulesRefuseNowAreLeftOut() {
    PeerRules rules =
        new PeerRules(
            List.of(), List.of(), List.of(Ip.Prefix.of("198.51.100.2")), List.of(), true, false, 1);
    Allocation made = restore(kept(), 0, rules);
    assertFalse(made.allows(0, Stage.PEER, second.now));
    assertNull(made.channel(0x4001, second.now));
  }

  @Test
  void aTakenPortOrTupleIsLeftOut() {
    KeptAllocation kept = kept();
    assertNotNull(restore(kept, 0, ANY));
    assertNull(restore(kept, 0, ANY), "the same 5-tuple");
    Client other = first.client(2);
    first.allocate(first.user("bob"), other);
    KeptAllocation bob = kept(other);
    second.takenPorts.add(first.of(other).port(4));
    Restorer restorer = new Restorer(second.allocations, ANY, second.tally, second.now, MILLIS);
    Allocation made = restorer.restore(bob, second.client(2));
    restorer.open();
    assertTrue(made.isGone(), "the port is another process's");
    assertEquals(1, second.tally.get(Why.NO_SOCKET));
    assertNull(second.of(second.client(2)));
    assertEquals(0, second.accounts.of("bob").seconds(), "it has not lived");
  }

  @Test
  void limitsAreThoseOfNow() {
    KeptAllocation kept = kept();
    Stage small = new Stage(Stage.limits(0, 0), 16, 0);
    assertNull(
        new Restorer(small.allocations, ANY, small.tally, small.now, MILLIS)
            .restore(kept, small.client(1)));
  }

  /** Whatever a record says, the relay stays whole: each port is free again at the end. */
  @Test
  void recordsOfChanceDoNoHarm() {
    Random random = new Random(6062);
    for (int i = 0; i < 2000; i++) {
      KeptAllocation.Relayed four =
          new KeptAllocation.Relayed(
              random.nextInt(0x10000), MILLIS + random.nextInt(), random.nextBoolean());
      KeptAllocation.Relayed six =
          new KeptAllocation.Relayed(
              Stage.FIRST_PORT + random.nextInt(16), random.nextLong(), random.nextBoolean());
      List<KeptAllocation.Permitted> permitted =
          List.of(
              new KeptAllocation.Permitted(random.nextLong(), random.nextLong(), MILLIS + 9999));
      List<KeptAllocation.Bound> channels =
          List.of(
              new KeptAllocation.Bound(
                  random.nextInt(0x10000),
                  0,
                  Stage.PEER,
                  random.nextInt(0x10000),
                  random.nextLong()),
              new KeptAllocation.Bound(0x4001, random.nextLong(), 1, 1, MILLIS + 9999));
      KeptAllocation kept =
          new KeptAllocation(
              random.nextLong(),
              0,
              Stage.PEER,
              random.nextInt(0x10000),
              3478,
              random.nextBoolean() ? four : null,
              six,
              "alice",
              random.nextBoolean(),
              permitted,
              channels);
      restore(kept, 0, ANY);
      second.pass(0);
    }
    second.allocations.stop();
    assertEquals(Set.of(), second.open);
    assertEquals(0, second.accounts.of("alice").allocations());
  }
}
