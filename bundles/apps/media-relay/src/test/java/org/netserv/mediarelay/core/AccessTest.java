// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.netserv.stun.ErrorCode;
import org.netserv.stun.EvenPort;
import org.netserv.stun.Lifetime;
import org.netserv.stun.PasswordAlgorithm;
import org.netserv.stun.StunAddress;
import org.netserv.stun.StunAttribute;
import org.netserv.stun.StunBytes;
import org.netserv.stun.StunMessage;
import org.netserv.stun.StunMethod;

/** Credentials, strangers, and bytes that nobody should send. */
class AccessTest {
  private final Stage stage = new Stage();
  private final Client one = stage.client(1);
  private final Stage.User user = stage.user("ann");

  @Test
  void aStrangerIsAskedForCredentialsAndGetsNothing() {
    StunMessage answer = user.askOnce(one, StunMethod.ALLOCATE, Stage.udp());
    assertEquals(401, ErrorCode.get(answer));
    assertNotNull(StunBytes.copy(answer, StunAttribute.NONCE));
    assertEquals(Stage.REALM, StunBytes.text(answer, StunAttribute.REALM));
    assertFalse(answer.has(StunAttribute.SOFTWARE));
    assertEquals(1, stage.tally.get(Why.CHALLENGED));
    assertEquals(Set.of(), stage.open);
  }

  @ParameterizedTest
  @EnumSource(PasswordAlgorithm.class)
  void bothPasswordAlgorithmsServe(PasswordAlgorithm algorithm) {
    Stage.User by = stage.new User("ann", algorithm);
    stage.allocate(by, one);
    stage.succeed(by, one, StunMethod.REFRESH, w -> {});
    stage.succeed(by, one, StunMethod.CREATE_PERMISSION, Stage.peer(1));
  }

  @Test
  void aWrongCheckValueIsRefused() {
    stage.allocate(user, one);
    Stage.User wrong = stage.user("bob");
    wrong.nonceOf(user);
    ByteBuffer request = wrong.request(StunMethod.REFRESH, w -> {}, 1);
    request.put(request.limit() - 1, (byte) ~request.get(request.limit() - 1));
    assertEquals(401, ErrorCode.get(stage.ask(one, request)));
    assertEquals(1, stage.tally.get(Why.BAD_CREDENTIALS));
  }

  @Test
  void expiredCredentialsKeepTheirAllocationAndMakeNoOther() {
    stage.allocate(user, one);
    for (int i = 0; i < 10; i++) {
      stage.pass(500);
      stage.succeed(user, one, StunMethod.REFRESH, w -> {});
    }
    stage.refused(
        401, Why.BAD_CREDENTIALS, user, stage.client(2), StunMethod.ALLOCATE, Stage.udp());
  }

  @Test
  void anOldNonceIsStaleAndSoIsAnotherClients() {
    stage.allocate(user, one);
    Client two = stage.client(2);
    assertEquals(438, ErrorCode.get(user.askOnce(two, StunMethod.ALLOCATE, Stage.udp())));
    stage.pass(400);
    stage.succeed(user, one, StunMethod.REFRESH, w -> {});
    stage.pass(300);
    assertEquals(438, ErrorCode.get(user.askOnce(one, StunMethod.REFRESH, w -> {})));
    assertEquals(2, stage.tally.get(Why.STALE_NONCE));
    stage.succeed(user, one, StunMethod.REFRESH, w -> {});
  }

  @Test
  void anotherUserCannotUseAnAllocation() {
    stage.allocate(user, one);
    Stage.User bob = stage.user("bob");
    stage.refused(441, Why.WRONG_USER, bob, one, StunMethod.REFRESH, w -> Lifetime.put(w, 0));
    stage.refused(441, Why.WRONG_USER, bob, one, StunMethod.CREATE_PERMISSION, Stage.peer(1));
    assertEquals(1, stage.open.size());
  }

  @Test
  void aBindingRequestIsAnsweredWithoutCredentials() {
    StunMessage answer = user.askOnce(one, StunMethod.BINDING, w -> {});
    StunAddress mapped = new StunAddress();
    assertTrue(mapped.get(answer, StunAttribute.XOR_MAPPED_ADDRESS));
    assertEquals(one.low(), mapped.low());
    assertEquals(one.port(), mapped.port());
  }

  @Test
  void strangersGetFewAnswersAndNoLargeOnes() {
    Stage strict = new Stage(Stage.limits(10, 10), 16, 5);
    Client from = strict.client(1);
    for (int i = 0; i < 100; i++) {
      strict.user("x").askOnce(from, StunMethod.ALLOCATE, Stage.udp());
    }
    assertEquals(10, strict.sent, "the burst");
    assertEquals(90, strict.tally.get(Why.RATE_LIMITED));
    strict.pass(1);
    strict.user("x").askOnce(from, StunMethod.ALLOCATE, Stage.udp());
    assertEquals(11, strict.sent);
    strict.user("x").askOnce(strict.client(2), StunMethod.ALLOCATE, Stage.udp());
    assertEquals(12, strict.sent, "another source has its own");
    assertEquals(0, strict.tally.get(Why.AMPLIFIES));
    strict.user("x").askOnce(strict.client(3), StunMethod.REFRESH, w -> {});
    assertEquals(1, strict.tally.get(Why.AMPLIFIES), "20 bytes have no answer of 130");
  }

  @Test
  void everyCutOfARequestIsDroppedOrRefusedAndChangesNothing() {
    user.ask(one, StunMethod.REFRESH, w -> {}); // for a nonce
    ByteBuffer whole =
        user.request(
            StunMethod.ALLOCATE,
            Stage.udp(
                w -> {
                  EvenPort.put(w, true);
                  Lifetime.put(w, 700);
                }),
            5);
    int length = whole.limit();
    for (int i = 0; i < length; i++) {
      byte[] cut = new byte[i];
      whole.get(0, cut);
      stage.server.received(one, ByteBuffer.wrap(cut), 0, i, stage.now);
    }
    assertEquals(Set.of(), stage.open);
    assertEquals(length, stage.tally.get(Why.MALFORMED));
  }

  @Test
  void changedBytesThrowNothingAndMakeNothing() {
    Random random = new Random(42);
    user.ask(one, StunMethod.REFRESH, w -> {}); // for a nonce
    ByteBuffer whole = user.request(StunMethod.ALLOCATE, Stage.udp(), 5);
    byte[] bytes = new byte[whole.limit()];
    for (int i = 0; i < 50_000; i++) {
      whole.get(0, bytes);
      for (int j = random.nextInt(4); j >= 0; j--) {
        int at = random.nextInt(bytes.length);
        bytes[at] = (byte) ~bytes[at];
      }
      int length = random.nextInt(10) == 0 ? random.nextInt(bytes.length) : bytes.length;
      stage.server.received(stage.client(2), ByteBuffer.wrap(bytes), 0, length, stage.now);
    }
    assertEquals(Set.of(), stage.open);
  }
}
