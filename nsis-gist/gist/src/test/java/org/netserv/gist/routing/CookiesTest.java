// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.netserv.gist.sim.SimApplication;
import org.netserv.gist.sim.SimNetwork;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.PathCoupledMri;
import org.netserv.gist.wire.QueryCookie;
import org.netserv.gist.wire.ResponderCookie;

class CookiesTest {
  private static final long LIFETIME = 60_000;
  private static final RoutingKey KEY =
      new RoutingKey(
          PathCoupledMri.between(SimNetwork.address("10.0.0.1"), SimNetwork.address("10.0.0.2")),
          SimApplication.session(1),
          32_710);
  private static final NetworkLayerInfo PEER = peer("10.0.0.1", 1);
  private static final Cookies.Memory MEMORY =
      new Cookies.Memory(3, Cookies.OFFERED, 2, 40_000, 1000);

  private final Cookies cookies = new Cookies(new Random(1), LIFETIME, 0);

  private static NetworkLayerInfo peer(String address, int identity) {
    return new NetworkLayerInfo(
        64, 30_000, new byte[] {(byte) identity}, SimNetwork.address(address));
  }

  private Optional<Cookies.Memory> verify(byte[] cookie, long now) {
    return cookies.verify(new ResponderCookie(cookie), KEY, PEER, now);
  }

  @Test
  void saysWhatTheQueryWasLike() {
    byte[] cookie = cookies.responder(KEY, PEER, MEMORY, 1000).bytes();
    assertEquals(Optional.of(MEMORY), verify(cookie, 1000));
    assertTrue(verify(cookie, 1000).orElseThrow().offered());
  }

  @Test
  void isBoundToTheStateAndThePeer() {
    ResponderCookie cookie = cookies.responder(KEY, PEER, MEMORY, 1000);
    RoutingKey otherSession = new RoutingKey(KEY.mri(), SimApplication.session(2), KEY.nslpId());
    RoutingKey otherNslp = new RoutingKey(KEY.mri(), KEY.session(), 32_711);
    for (RoutingKey key : List.of(KEY.flipped(), otherSession, otherNslp)) {
      assertFalse(cookies.verify(cookie, key, PEER, 1000).isPresent(), key.toString());
    }
    assertFalse(cookies.verify(cookie, KEY, peer("10.0.0.1", 2), 1000).isPresent());
    assertFalse(cookies.verify(cookie, KEY, peer("10.0.0.9", 1), 1000).isPresent());
  }

  @Test
  void everyBitCounts() {
    byte[] cookie = cookies.responder(KEY, PEER, MEMORY, 1000).bytes();
    for (int bit = 0; bit < cookie.length * 8; bit++) {
      byte[] altered = cookie.clone();
      altered[bit / 8] ^= (byte) (1 << bit % 8);
      assertFalse(verify(altered, 1000).isPresent(), "bit " + bit);
    }
    for (int length = 4; length < cookie.length; length += 4) {
      assertFalse(verify(Arrays.copyOf(cookie, length), 1000).isPresent());
    }
  }

  @Test
  void livesAsLongAsASecret() {
    byte[] cookie = cookies.responder(KEY, PEER, MEMORY, 1000).bytes();
    assertTrue(verify(cookie, 1000 + LIFETIME).isPresent(), "of the secret before");
    assertFalse(verify(cookie, 1001 + LIFETIME).isPresent());
    assertFalse(verify(cookie, 1000 + 10 * LIFETIME).isPresent());
    assertFalse(verify(cookie, 999).isPresent(), "from the future");
  }

  @Test
  void anotherNodeCannotMakeThem() {
    Cookies other = new Cookies(new Random(2), LIFETIME, 0);
    byte[] cookie = other.responder(KEY, PEER, MEMORY, 1000).bytes();
    assertFalse(verify(cookie, 1000).isPresent());
  }

  @Test
  void queryCookiesAreNeverTheSame() {
    Set<QueryCookie> seen = new HashSet<>();
    for (int i = 0; i < 10_000; i++) {
      assertTrue(seen.add(cookies.query()));
    }
    assertEquals(16, cookies.query().bytes().length);
  }
}
