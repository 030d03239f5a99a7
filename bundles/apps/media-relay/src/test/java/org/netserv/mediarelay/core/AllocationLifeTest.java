// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.mediarelay.core.AllocationState.Event;
import org.netserv.stun.Lifetime;
import org.netserv.stun.StunAttribute;
import org.netserv.stun.StunBytes;
import org.netserv.stun.StunMethod;
import org.netserv.stun.StunWriter;

/** Expiry, ends, permissions, channels and moves, in virtual time. */
class AllocationLifeTest {
  private final Stage stage = new Stage();
  private final Client one = stage.client(1);
  private final Stage.User user = stage.user("ann");

  private static Consumer<StunWriter> ticket(byte[] ticket) {
    return w -> StunBytes.put(w, StunAttribute.MOBILITY_TICKET, ticket);
  }

  private void bind(int number, int port) {
    stage.succeed(user, one, StunMethod.CHANNEL_BIND, Stage.channel(number, Stage.peer(port)));
  }

  private void notBound(int code, Why why, int number, Consumer<StunWriter> peer) {
    stage.refused(code, why, user, one, StunMethod.CHANNEL_BIND, Stage.channel(number, peer));
  }

  private void notPermitted(int code, Why why, Consumer<StunWriter> peers) {
    stage.refused(code, why, user, one, StunMethod.CREATE_PERMISSION, peers);
    assertFalse(stage.of(one).allows(0, Stage.PEER, stage.now));
  }

  @ParameterizedTest
  @CsvSource({
    "LIVE, REFRESH, LIVE",
    "LIVE, MOVE, LIVE",
    "LIVE, LEG_KEPT, UNREACHABLE",
    "LIVE, LEG_LOST, GONE",
    "LIVE, DELETE, GONE",
    "LIVE, TIME_UP, GONE",
    "LIVE, STOP, GONE",
    "UNREACHABLE, REFRESH,",
    "UNREACHABLE, MOVE, LIVE",
    "UNREACHABLE, LEG_KEPT, UNREACHABLE",
    "UNREACHABLE, LEG_LOST, GONE",
    "UNREACHABLE, DELETE,",
    "UNREACHABLE, TIME_UP, GONE",
    "UNREACHABLE, STOP, GONE",
    "GONE, REFRESH,",
    "GONE, MOVE,",
    "GONE, LEG_KEPT,",
    "GONE, LEG_LOST,",
    "GONE, DELETE,",
    "GONE, TIME_UP,",
    "GONE, STOP,"
  })
  void eachStateHasAnAnswerForEachEvent(AllocationState state, Event event, AllocationState next) {
    assertEquals(next, state.after(event));
  }

  @Test
  void anAllocationExpiresUnlessItIsRefreshed() {
    stage.allocate(user, one);
    stage.pass(599);
    assertEquals(600, Lifetime.get(stage.succeed(user, one, StunMethod.REFRESH, w -> {})));
    stage.pass(599);
    assertEquals(1, stage.open.size());
    stage.pass(1);
    assertEquals(Set.of(), stage.open);
    assertEquals(1, stage.tally.get(Why.EXPIRED));
    stage.refused(437, Why.NO_ALLOCATION, user, one, StunMethod.REFRESH, w -> {});
    assertEquals(1199, stage.accounts.of("ann").seconds());
  }

  @Test
  void aConnectionsEndIsTheEndOfItsAllocation() {
    Client tcp = stage.client(Transport.TCP, 1);
    stage.allocate(user, tcp);
    stage.server.gone(tcp, stage.now);
    assertEquals(Set.of(), stage.open);
    assertEquals(1, stage.tally.get(Why.LEG_LOST));
  }

  @Test
  void anAllocationWithATicketOutlivesItsConnectionAndMoves() {
    Client tcp = stage.client(Transport.TCP, 2);
    byte[] first =
        StunBytes.copy(
            stage.succeed(user, tcp, StunMethod.ALLOCATE, Stage.udp(ticket(new byte[0]))),
            StunAttribute.MOBILITY_TICKET);
    Allocation of = stage.of(tcp);
    stage.server.gone(tcp, stage.now);
    assertEquals(1, stage.open.size());
    assertFalse(of.isLive());
    Client next = stage.client(3);
    stage.refused(
        405, Why.MOBILITY_FORBIDDEN, stage.user("eve"), next, StunMethod.REFRESH, ticket(first));
    stage.succeed(user, next, StunMethod.REFRESH, ticket(first));
    assertSame(of, stage.of(next));
    assertTrue(of.isLive());
    assertEquals(1, stage.tally.get(Why.MOVED));
  }

  @Test
  void aTicketIsTextForClientsThatKeepItAsAString() {
    byte[] known =
        StunBytes.copy(
            stage.succeed(user, one, StunMethod.ALLOCATE, Stage.udp(ticket(new byte[0]))),
            StunAttribute.MOBILITY_TICKET);
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < 200; i++) {
      String text = new String(known, StandardCharsets.US_ASCII);
      assertTrue(text.matches("[A-Za-z0-9_-]{22}"), text);
      assertTrue(seen.add(text), text);
      known =
          StunBytes.copy(
              stage.succeed(user, one, StunMethod.REFRESH, ticket(known)),
              StunAttribute.MOBILITY_TICKET);
    }
  }

  @Test
  void theLastTicketAndTheOneBeforeServe() {
    byte[] first =
        StunBytes.copy(
            stage.succeed(user, one, StunMethod.ALLOCATE, Stage.udp(ticket(new byte[0]))),
            StunAttribute.MOBILITY_TICKET);
    byte[] known = first;
    byte[] before = first;
    for (int i = 2; i < 5; i++) {
      before = known;
      known =
          StunBytes.copy(
              stage.succeed(user, stage.client(i), StunMethod.REFRESH, ticket(known)),
              StunAttribute.MOBILITY_TICKET);
    }
    stage.refused(400, Why.BAD_TICKET, user, stage.client(9), StunMethod.REFRESH, ticket(first));
    stage.succeed(user, stage.client(9), StunMethod.REFRESH, ticket(before));
    assertEquals(1, stage.open.size());
  }

  @Test
  void aPermissionLivesFiveMinutes() {
    stage.allocate(user, one);
    stage.succeed(user, one, StunMethod.CREATE_PERMISSION, Stage.peer(1));
    stage.pass(299);
    assertTrue(stage.of(one).allows(0, Stage.PEER, stage.now));
    stage.succeed(user, one, StunMethod.CREATE_PERMISSION, Stage.peer(1));
    stage.pass(299);
    assertTrue(stage.of(one).allows(0, Stage.PEER, stage.now));
    stage.pass(1);
    assertFalse(stage.of(one).allows(0, Stage.PEER, stage.now));
  }

  @Test
  void allPeersOfARequestArePermittedOrNone() {
    stage.allocate(user, one);
    Consumer<StunWriter> loopback = Stage.peer(0, Ip.v4(0x7f000001), 1);
    notPermitted(403, Why.PEER_LOOPBACK, Stage.peer(1).andThen(loopback));
    notPermitted(400, Why.BAD_REQUEST, w -> {});
    notPermitted(443, Why.PEER_FAMILY, Stage.peer(Stage.PEER_6_HIGH, 1, 1));
    notPermitted(
        508,
        Why.PERMISSIONS_FULL,
        w -> {
          for (int i = 0; i < 5; i++) {
            Stage.peer(0, Stage.PEER + i, 1).accept(w);
          }
        });
  }

  @Test
  void aChannelLivesTenMinutesAndItsPermissionFive() {
    stage.allocate(user, one);
    stage.succeed(user, one, StunMethod.REFRESH, w -> Lifetime.put(w, 3600));
    bind(0x4000, 7);
    Allocation of = stage.of(one);
    assertEquals(7, of.channel(0x4000, stage.now).port());
    assertEquals(0x4000, of.channelTo(0, Stage.PEER, 7, stage.now).number());
    assertNull(of.channelTo(0, Stage.PEER, 8, stage.now));
    stage.pass(300);
    assertFalse(of.allows(0, Stage.PEER, stage.now));
    stage.pass(299);
    assertNotNull(of.channel(0x4000, stage.now));
    stage.pass(1);
    assertNull(of.channel(0x4000, stage.now));
    bind(0x4000, 8);
    assertEquals(8, of.channel(0x4000, stage.now).port());
  }

  @Test
  void aChannelHasOnePeerAndAPeerOneChannel() {
    stage.allocate(user, one);
    bind(0x4000, 7);
    bind(0x4000, 7);
    for (int number : new int[] {0x4001, 0x3fff, 0x8000, 0}) {
      notBound(400, Why.BAD_REQUEST, number, Stage.peer(7));
    }
    notBound(400, Why.BAD_REQUEST, 0x4000, Stage.peer(8));
    notBound(400, Why.BAD_REQUEST, 0x4001, w -> {});
    notBound(403, Why.PEER_DENIED, 0x4002, Stage.peer(0, Ip.v4(0xc6336480), 1));
    notBound(403, Why.PEER_PORT, 0x4002, Stage.peer(0));
    notBound(443, Why.PEER_FAMILY, 0x4002, Stage.peer(Stage.PEER_6_HIGH, 1, 1));
    bind(0x7fff, 8); // of RFC 5766
    bind(0x4fff, 9);
    notBound(508, Why.CHANNELS_FULL, 0x4003, Stage.peer(10));
  }

  @Test
  void whoWatchesHearsOfEachChannelAndOfItsEnd() {
    List<String> heard = new ArrayList<>();
    stage.allocations.watch(
        new Allocations.ChannelWatch() {
          @Override
          public void bound(Allocation of, Channel channel) {
            heard.add("+" + channel.port());
          }

          @Override
          public void permitted(Allocation of, long high, long low) {
            heard.add("!" + (low - Stage.PEER));
          }

          @Override
          public void unbound(Allocation of, Channel channel) {
            heard.add("-" + channel.port());
          }
        });
    stage.allocate(user, one);
    bind(0x4000, 7);
    bind(0x4001, 8);
    stage.succeed(user, one, StunMethod.CREATE_PERMISSION, Stage.peer(0, Stage.PEER + 3, 1));
    stage.succeed(user, one, StunMethod.REFRESH, w -> Lifetime.put(w, 0));
    assertEquals(List.of("+7", "+8", "!3", "-7", "-8"), heard);
  }

  @Test
  void methodsThatNeedAnAllocationSaySo() {
    stage.refused(437, Why.NO_ALLOCATION, user, one, StunMethod.REFRESH, w -> {});
    stage.refused(437, Why.NO_ALLOCATION, user, one, StunMethod.CREATE_PERMISSION, w -> {});
    stage.refused(437, Why.NO_ALLOCATION, user, one, StunMethod.CHANNEL_BIND, w -> {});
  }

  @Test
  void theEndOfTheServerClosesEverything() {
    for (int i = 1; i < 9; i++) {
      stage.allocate(stage.user("u" + i), stage.client(i));
    }
    stage.server.stop();
    assertEquals(Set.of(), stage.open);
    assertEquals(8, stage.tally.get(Why.STOPPED));
    assertEquals(0, stage.allocations.count());
  }
}
