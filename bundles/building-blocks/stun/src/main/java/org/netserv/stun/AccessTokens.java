// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The authorization servers whose tokens a STUN server takes (RFC 7635), by the keys that it shares
 * with them. Belongs to one thread.
 */
public final class AccessTokens {
  private static final int NAME_MOST = 255;

  private final byte[] server;
  private final Map<String, TokenKey> keys = new HashMap<>();

  /**
   * @param server the name that tokens are sealed for, 1 to 255 bytes in UTF-8
   * @throws IllegalArgumentException naming what is wrong, such as two keys of one name
   */
  public AccessTokens(String server, List<TokenKey> keys) {
    this.server = server.getBytes(StandardCharsets.UTF_8);
    if (this.server.length == 0 || this.server.length > NAME_MOST) {
      throw new IllegalArgumentException("server: not of 1 to " + NAME_MOST + " bytes");
    }
    for (TokenKey key : keys) {
      if (this.keys.put(key.name(), key) != null) {
        throw new IllegalArgumentException("key " + key.name() + ": there are two of this name");
      }
    }
  }

  /**
   * Returns the token of a request that has USERNAME and ACCESS-TOKEN, null = no key has sealed it
   * for this server, or it is not of this time.
   *
   * @param now seconds since 1970
   */
  AccessToken find(StunMessage request, long now) {
    int name = request.find(StunAttribute.USERNAME);
    TokenKey key = name < 0 ? null : keys.get(StunBytes.text(request, StunAttribute.USERNAME));
    if (key == null) {
      return null;
    }
    int at = request.find(StunAttribute.ACCESS_TOKEN);
    ByteBuffer buffer = request.buffer();
    AccessToken token =
        AccessToken.open(buffer, request.valueStart(at), request.valueEnd(at), key, server);
    return token != null && token.holds(now) ? token : null;
  }

  /** Adds THIRD-PARTY-AUTHORIZATION, by which a client knows what to ask a token for. */
  void put(StunWriter writer) {
    StunBytes.put(writer, StunAttribute.THIRD_PARTY_AUTHORIZATION, server);
  }
}
