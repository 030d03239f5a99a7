// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.stun.ErrorCode;
import org.netserv.stun.Lifetime;
import org.netserv.stun.StunAttribute;
import org.netserv.stun.StunBytes;
import org.netserv.stun.StunMessage;
import org.netserv.stun.StunMethod;

/** Clients with tokens of an authorization server (RFC 7635). */
class TokenTest {
  private static final long MILLIS = 1_800_000_000_000L;

  private final Stage stage = new Stage(Stage.limits(100, 1), 64, 0);
  private final Client one = stage.client(1);
  private final Stage.User user = stage.user("alice");

  @Test
  void aChallengeNamesTheServerOfTheTokens() {
    StunMessage challenge = user.askOnce(one, StunMethod.ALLOCATE, Stage.udp());
    assertEquals(401, ErrorCode.get(challenge));
    assertEquals(
        Stage.TOKEN_SERVER, StunBytes.text(challenge, StunAttribute.THIRD_PARTY_AUTHORIZATION));
  }

  @Test
  void theKeyOfATokenServesWithoutTheToken() {
    user.token("north", 1000);
    StunMessage answer = stage.succeed(user, one, StunMethod.ALLOCATE, Stage.udp());
    assertEquals(600, Lifetime.get(answer));
    user.withoutToken();
    stage.succeed(user, one, StunMethod.CREATE_PERMISSION, Stage.peer(1));
    stage.succeed(user, one, StunMethod.CHANNEL_BIND, Stage.channel(0x4001, Stage.peer(1)));
    assertEquals("north", stage.of(one).account().user());
  }

  /** RFC 7635, 9: the lifetime of an answer is not longer than that of the token. */
  @Test
  void anAllocationEndsWithItsToken() {
    user.token("north", 100);
    assertEquals(100, Lifetime.get(stage.succeed(user, one, StunMethod.ALLOCATE, Stage.udp())));
    user.withoutToken();
    stage.pass(40);
    StunMessage refreshed = stage.succeed(user, one, StunMethod.REFRESH, w -> Lifetime.put(w, 900));
    assertEquals(60, Lifetime.get(refreshed));
    stage.pass(61);
    assertEquals(0, stage.allocations.count());
    assertEquals(1, stage.tally.get(Why.EXPIRED));
  }

  @Test
  void aNewTokenOfAnyKeyRefreshes() {
    stage.succeed(user.token("north", 100), one, StunMethod.ALLOCATE, Stage.udp());
    stage.pass(90);
    user.token("union", 500);
    StunMessage refreshed = stage.succeed(user, one, StunMethod.REFRESH, w -> {});
    assertEquals(500, Lifetime.get(refreshed));
    user.withoutToken();
    stage.succeed(user, one, StunMethod.CREATE_PERMISSION, Stage.peer(1));
    assertEquals("north", stage.of(one).account().user());
    assertEquals(0, stage.accounts.of("union").allocations());
  }

  @Test
  void anOldKeyServesNoLongerThanUntilTheNextToken() {
    stage.succeed(user.token("north", 100), one, StunMethod.ALLOCATE, Stage.udp());
    Stage.User old = stage.user("alice").token("north", 100);
    old.nonceOf(user);
    stage.succeed(old, one, StunMethod.REFRESH, w -> {});
    user.withoutToken();
    assertEquals(401, ErrorCode.get(user.askOnce(one, StunMethod.REFRESH, w -> {})));
  }

  @Test
  void tokensHaveNoQuotaOfAUser() {
    for (int i = 1; i <= 3; i++) {
      Stage.User some = stage.user("x").token("north", 100);
      stage.succeed(some, stage.client(i), StunMethod.ALLOCATE, Stage.udp());
    }
    assertEquals(3, stage.accounts.of("north").allocations());
  }

  @Test
  void aTokenOfAnotherTimeIsRefused() {
    user.token("north", 100);
    stage.pass(105);
    stage.refused(401, Why.BAD_TOKEN, user, one, StunMethod.ALLOCATE, Stage.udp());
    assertEquals(0, stage.allocations.count());
  }

  @Test
  void passwordsAndTokensDoNotShareAllocations() {
    Client two = stage.client(2);
    stage.allocate(user, one);
    Stage.User token = stage.user("x").token("north", 100);
    stage.refused(441, Why.WRONG_USER, token, one, StunMethod.REFRESH, w -> {});
    stage.succeed(token, two, StunMethod.ALLOCATE, Stage.udp());
    Stage.User north = stage.user("north");
    stage.refused(441, Why.WRONG_USER, north, two, StunMethod.REFRESH, w -> Lifetime.put(w, 0));
    assertEquals(2, stage.allocations.count());
  }

  @Test
  void aTokenMovesWhatTokensHaveMade() {
    user.token("north", 100);
    StunMessage made =
        stage.succeed(
            user,
            one,
            StunMethod.ALLOCATE,
            Stage.udp(w -> StunBytes.put(w, StunAttribute.MOBILITY_TICKET, new byte[0])));
    byte[] ticket = StunBytes.copy(made, StunAttribute.MOBILITY_TICKET);
    Stage.User again = stage.user("x").token("union", 100);
    Client two = stage.client(2);
    stage.succeed(
        again,
        two,
        StunMethod.REFRESH,
        w -> StunBytes.put(w, StunAttribute.MOBILITY_TICKET, ticket));
    assertEquals(1, stage.tally.get(Why.MOVED));
    again.withoutToken();
    stage.succeed(again, two, StunMethod.CREATE_PERMISSION, Stage.peer(1));
  }

  /** After the end of the process nobody knows the key, and a token is enough. */
  @Test
  void aTokenRefreshesWhatAnEarlierProcessHasMade() {
    stage.succeed(user.token("north", 1000), one, StunMethod.ALLOCATE, Stage.udp());
    ByteBuffer bytes = ByteBuffer.allocate(AllocationBytes.MOST);
    assertTrue(AllocationBytes.put(bytes, stage.of(one), stage.now, MILLIS));
    KeptAllocation kept = AllocationBytes.get(bytes);
    assertTrue(kept.ofToken());
    Stage second = new Stage(Stage.limits(100, 1), 64, 0);
    PeerRules rules = new PeerRules(List.of(), List.of(), List.of(), List.of(), true, false, 1);
    Client again = second.client(1);
    Restorer restorer = new Restorer(second.allocations, rules, second.tally, second.now, MILLIS);
    assertTrue(restorer.restore(kept, again).isOfToken());
    restorer.open();
    Stage.User password = second.user("north");
    second.refused(441, Why.WRONG_USER, password, again, StunMethod.REFRESH, w -> {});
    Stage.User token = second.user("x").token("north", 100);
    StunMessage refreshed = second.succeed(token, again, StunMethod.REFRESH, w -> {});
    assertEquals(100, Lifetime.get(refreshed));
    assertFalse(second.of(again).isMobile());
  }
}
