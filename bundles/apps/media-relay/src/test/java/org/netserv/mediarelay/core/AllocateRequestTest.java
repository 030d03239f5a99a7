// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.stun.AddressFamily;
import org.netserv.stun.DontFragment;
import org.netserv.stun.ErrorCode;
import org.netserv.stun.EvenPort;
import org.netserv.stun.Lifetime;
import org.netserv.stun.RequestedTransport;
import org.netserv.stun.ReservationToken;
import org.netserv.stun.StunAddress;
import org.netserv.stun.StunAttribute;
import org.netserv.stun.StunBytes;
import org.netserv.stun.StunClass;
import org.netserv.stun.StunMessage;
import org.netserv.stun.StunMethod;
import org.netserv.stun.StunWriter;

/** The steps of RFC 8656 section 7.2. */
class AllocateRequestTest {
  private final Stage stage = new Stage();
  private final Client one = stage.client(1);
  private final Stage.User user = stage.user("ann");

  private void refused(int code, Why why, Consumer<StunWriter> attributes) {
    stage.refused(code, why, user, one, StunMethod.ALLOCATE, attributes);
    assertEquals(Set.of(), stage.open);
  }

  private StunMessage succeed(Consumer<StunWriter> attributes) {
    return stage.succeed(user, one, StunMethod.ALLOCATE, Stage.udp(attributes));
  }

  private static Consumer<StunWriter> family(StunAttribute type, int family) {
    return w -> AddressFamily.put(w, type, family);
  }

  private static Consumer<StunWriter> asked(int family) {
    return family(StunAttribute.REQUESTED_ADDRESS_FAMILY, family);
  }

  private static Consumer<StunWriter> dual(int family) {
    return family(StunAttribute.ADDITIONAL_ADDRESS_FAMILY, family);
  }

  @Test
  void anAllocationHasARelayedAddressALifetimeAndTheClientsAddress() {
    StunMessage answer = succeed(w -> {});
    StunAddress address = new StunAddress();
    assertTrue(address.get(answer, StunAttribute.XOR_RELAYED_ADDRESS));
    assertEquals(Stage.RELAY_4, address.low());
    assertEquals(Set.of("4/" + address.port()), stage.open);
    assertTrue(address.get(answer, StunAttribute.XOR_MAPPED_ADDRESS));
    assertEquals(one.port(), address.port());
    assertEquals(600, Lifetime.get(answer));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 599, 600, 1000, 3600, 3601, 0xffff_ffffL})
  void theLifetimeIsBetweenDefaultAndMost(long asked) {
    StunMessage answer = succeed(w -> Lifetime.put(w, asked));
    assertEquals(Math.max(600, Math.min(3600, asked)), Lifetime.get(answer));
  }

  @Test
  void stepTwoARetransmissionGetsTheSameAddressAndAnotherRequestAMismatch() {
    stage.succeed(user, one, StunMethod.ALLOCATE, Stage.udp());
    stage.refused(437, Why.ALLOCATION_EXISTS, user, one, StunMethod.ALLOCATE, Stage.udp());
    Client two = stage.client(2);
    Stage.User other = stage.user("ann");
    other.ask(two, StunMethod.REFRESH, w -> {}); // for a nonce
    ByteBuffer request = other.request(StunMethod.ALLOCATE, Stage.udp(), 77);
    int first = Stage.port(stage.ask(two, request));
    assertEquals(first, Stage.port(stage.ask(two, request)));
    assertEquals(2, stage.open.size());
    assertEquals(1, stage.tally.get(Why.ALLOCATED_AGAIN));
  }

  @Test
  void stepThreeTheTransport() {
    refused(400, Why.BAD_REQUEST, w -> {});
    refused(442, Why.TRANSPORT_UNSUPPORTED, w -> RequestedTransport.put(w, 99));
    refused(442, Why.TRANSPORT_UNSUPPORTED, w -> RequestedTransport.put(w, 6));
  }

  @Test
  void stepFourDontFragment() {
    succeed(DontFragment::put);
  }

  @Test
  void stepFiveTheReservation() {
    Consumer<StunWriter> token = w -> ReservationToken.put(w, 5);
    refused(508, Why.NO_RESERVATION, Stage.udp(token));
    refused(400, Why.BAD_REQUEST, Stage.udp(token.andThen(w -> EvenPort.put(w, false))));
    refused(400, Why.BAD_REQUEST, Stage.udp(token.andThen(asked(1))));
    refused(400, Why.BAD_REQUEST, Stage.udp(token.andThen(dual(2))));
  }

  @Test
  void stepsSixAndSevenTheFamily() {
    refused(400, Why.BAD_REQUEST, Stage.udp(asked(1).andThen(dual(2))));
    refused(440, Why.FAMILY_UNSUPPORTED, Stage.udp(asked(9)));
    succeed(asked(2));
    assertTrue(stage.open.iterator().next().startsWith("6/"));
  }

  @Test
  void stepEightAnEvenPortReservesTheNextForHalfAMinute() {
    refused(400, Why.BAD_REQUEST, Stage.udp(dual(2).andThen(w -> EvenPort.put(w, true))));
    StunMessage answer = succeed(w -> EvenPort.put(w, true));
    int port = Stage.port(answer);
    long token = ReservationToken.get(answer);
    assertEquals(0, port % 2);
    stage.pass(29);
    Consumer<StunWriter> with = Stage.udp(w -> ReservationToken.put(w, token));
    int second = Stage.port(stage.succeed(user, stage.client(2), StunMethod.ALLOCATE, with));
    assertEquals(port + 1, second);
    stage.refused(508, Why.NO_RESERVATION, user, stage.client(3), StunMethod.ALLOCATE, with);
  }

  @Test
  void aReservationThatNobodyTakesEndsAndItsPortIsFree() {
    Stage small = new Stage(Stage.limits(10, 10), 2, 0);
    Stage.User by = small.user("ann");
    small.succeed(by, small.client(1), StunMethod.ALLOCATE, Stage.udp(w -> EvenPort.put(w, true)));
    small.refused(508, Why.PORTS_EXHAUSTED, by, small.client(2), StunMethod.ALLOCATE, Stage.udp());
    small.pass(31);
    small.allocate(by, small.client(2));
  }

  @Test
  void stepNineADualAllocationWhoseFamiliesEndOneByOne() {
    refused(400, Why.BAD_REQUEST, Stage.udp(dual(1)));
    StunMessage answer = succeed(dual(2));
    assertTrue(answer.next(answer.find(StunAttribute.XOR_RELAYED_ADDRESS)) > 0);
    assertEquals(2, stage.open.size());
    Consumer<StunWriter> zero = w -> Lifetime.put(w, 0);
    stage.succeed(user, one, StunMethod.REFRESH, zero.andThen(asked(1)));
    assertTrue(stage.open.iterator().next().startsWith("6/"));
    stage.refused(443, Why.PEER_FAMILY, user, one, StunMethod.REFRESH, asked(1));
    stage.succeed(user, one, StunMethod.REFRESH, zero);
    assertEquals(Set.of(), stage.open);
  }

  @Test
  void theDraftsNumberOfADualAllocationIsUnderstood() {
    StunMessage answer = succeed(family(StunAttribute.ADDITIONAL_ADDRESS_FAMILY_DRAFT, 2));
    assertTrue(answer.next(answer.find(StunAttribute.XOR_RELAYED_ADDRESS)) > 0);
    assertEquals(2, stage.open.size());
  }

  @Test
  void aDualAllocationWithoutAPortOfOneFamilySaysWhy() {
    for (int i = 2; i < 18; i++) {
      stage.succeed(stage.user("u" + i), stage.client(i), StunMethod.ALLOCATE, Stage.udp(asked(2)));
    }
    StunMessage answer = succeed(dual(2));
    assertEquals(508, ErrorCode.getOfAddress(answer));
    assertEquals(AddressFamily.IPV6, ErrorCode.familyOfAddress(answer));
  }

  @Test
  void stepTenQuotasAreOfAUserAndOfAll() {
    Stage small = new Stage(Stage.limits(3, 2), 16, 0);
    Stage.User ann = small.user("ann");
    small.allocate(ann, small.client(1));
    small.unix++; // so that the name differs
    small.allocate(small.user("ann"), small.client(2));
    Client three = small.client(3);
    small.refused(486, Why.USER_QUOTA, small.user("ann"), three, StunMethod.ALLOCATE, Stage.udp());
    small.allocate(small.user("bob"), small.client(4));
    small.refused(508, Why.FULL, small.user("eve"), three, StunMethod.ALLOCATE, Stage.udp());
    small.succeed(ann, small.client(1), StunMethod.REFRESH, w -> Lifetime.put(w, 0));
    small.allocate(ann, small.client(6));
    assertEquals(2, small.accounts.of("ann").allocations());
    assertEquals(1, small.accounts.of("ann").ended());
  }

  @Test
  void aPortThatTheSystemDoesNotGiveIsPassedOverAndStaysInThePool() {
    for (int port = Stage.FIRST_PORT; port < Stage.FIRST_PORT + 15; port++) {
      stage.takenPorts.add(port);
    }
    boolean made = false;
    for (int i = 0; i < 50 && !made; i++) {
      made = user.ask(one, StunMethod.ALLOCATE, Stage.udp()).kind() == StunClass.SUCCESS;
    }
    assertTrue(made);
    assertNotEquals(0, stage.tally.get(Why.NO_SOCKET));
    stage.takenPorts.clear();
    for (int i = 2; i < 17; i++) {
      stage.allocate(stage.user("u" + i), stage.client(i));
    }
  }

  @Test
  void anUnknownAttributeIsNamed() {
    user.ask(one, StunMethod.REFRESH, w -> {}); // for a nonce
    StunMessage answer =
        user.ask(
            one,
            StunMethod.ALLOCATE,
            Stage.udp(w -> StunBytes.put(w, StunAttribute.PADDING, new byte[4])));
    assertEquals(420, ErrorCode.get(answer));
    assertArrayEquals(
        new byte[] {0, 0x26}, StunBytes.copy(answer, StunAttribute.UNKNOWN_ATTRIBUTES));
  }

  @Test
  void aDrainedServerKeepsWhatItHas() {
    stage.allocate(user, one);
    stage.server.drain();
    stage.refused(508, Why.DRAINING, user, stage.client(2), StunMethod.ALLOCATE, Stage.udp());
    stage.succeed(user, one, StunMethod.REFRESH, w -> {});
  }
}
