// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The server's side of long-term credentials (RFC 8489, 9.2.4). After a check the server has the
 * key for the answer. Belongs to one thread.
 */
public final class LongTermServer {
  private final byte[] realm;
  private final List<LongTermUsers> users;
  private final AccessTokens tokens;
  private final Nonces nonces;
  private final Integrity integrity = new Integrity();
  private PasswordAlgorithm algorithm;
  private AccessToken token;
  private StunKey key;
  private StunAttribute answerWith;

  /** Makes a server that takes no tokens. */
  public LongTermServer(String realm, List<LongTermUsers> users, Nonces nonces) {
    this(realm, users, null, nonces);
  }

  /**
   * @param users asked one after another; a user may have a key in each
   * @param tokens asked in place of them for a request with ACCESS-TOKEN; null = the attribute is
   *     unknown
   * @throws IllegalArgumentException if {@link OpaqueString} refuses the realm
   */
  public LongTermServer(
      String realm, List<LongTermUsers> users, AccessTokens tokens, Nonces nonces) {
    this.realm = OpaqueString.prepare("realm", realm).getBytes(StandardCharsets.UTF_8);
    this.users = List.copyOf(users);
    this.tokens = tokens;
    this.nonces = nonces;
  }

  /**
   * Checks a request's credentials, in the order of 9.2.4.
   *
   * @param high upper half of the client's address
   * @param low lower half
   * @param port the client's
   * @param now seconds since 1970
   */
  public Standing check(StunMessage request, long high, long low, int port, long now) {
    key = null;
    token = null;
    // "does not contain a MESSAGE-INTEGRITY or MESSAGE-INTEGRITY-SHA256": 401
    StunAttribute type = kind(request);
    if (type == null) {
      return Standing.NO_INTEGRITY;
    }
    // "is missing either the USERNAME or USERHASH, REALM, or NONCE attribute": 400
    boolean named = request.has(StunAttribute.USERNAME) || request.has(StunAttribute.USERHASH);
    if (!named || !request.has(StunAttribute.REALM) || !request.has(StunAttribute.NONCE)) {
      return Standing.INCOMPLETE;
    }
    // "starts with the nonce cookie with the bit Password algorithms set to 1"
    algorithm = algorithm(request);
    if (algorithm == null) {
      return Standing.ALGORITHM;
    }
    // "the value of the USERNAME or USERHASH attribute is not valid": 401
    // "the resulting value does not match": 401
    if (!StunBytes.equal(request, StunAttribute.REALM, realm)) {
      return Standing.UNKNOWN_USER;
    }
    boolean byToken = tokens != null && request.has(StunAttribute.ACCESS_TOKEN);
    Standing standing = byToken ? openToken(request, type, now) : findUser(request, type);
    if (standing != Standing.AUTHENTICATED) {
      key = null;
      return standing;
    }
    // "the NONCE is no longer valid": 438
    Nonces.State state = nonces.check(request, high, low, port, now);
    if (state != Nonces.State.VALID) {
      key = null;
      return state == Nonces.State.STALE ? Standing.STALE_NONCE : Standing.FOREIGN_NONCE;
    }
    answerWith =
        request.has(StunAttribute.PASSWORD_ALGORITHM)
            ? StunAttribute.MESSAGE_INTEGRITY_SHA256
            : StunAttribute.MESSAGE_INTEGRITY;
    return Standing.AUTHENTICATED;
  }

  private Standing findUser(StunMessage request, StunAttribute type) {
    Standing standing = Standing.UNKNOWN_USER;
    for (int i = 0; i < users.size() && standing != Standing.AUTHENTICATED; i++) {
      StunKey found = find(users.get(i), request, algorithm);
      standing = found == null ? standing : holds(request, type, found);
    }
    return standing;
  }

  /** Checks a request with a token (RFC 7635, 7). */
  private Standing openToken(StunMessage request, StunAttribute type, long now) {
    token = tokens.find(request, now);
    if (token == null) {
      return Standing.BAD_TOKEN;
    }
    Standing standing = holds(request, type, token.key());
    return standing == Standing.AUTHENTICATED ? standing : holds(request, type, token.cutKey());
  }

  private Standing holds(StunMessage request, StunAttribute type, StunKey found) {
    key = found;
    return integrity.holds(request, type, found) ? Standing.AUTHENTICATED : Standing.WRONG_PASSWORD;
  }

  private static StunKey find(
      LongTermUsers users, StunMessage request, PasswordAlgorithm algorithm) {
    int name = request.find(StunAttribute.USERNAME);
    if (name >= 0) {
      return users.find(
          request.buffer(), request.valueStart(name), request.valueEnd(name), algorithm);
    }
    int hash = request.find(StunAttribute.USERHASH);
    return users.findHash(request.buffer(), request.valueStart(hash), algorithm);
  }

  private static StunAttribute kind(StunMessage request) {
    if (request.has(StunAttribute.MESSAGE_INTEGRITY_SHA256)) {
      return StunAttribute.MESSAGE_INTEGRITY_SHA256;
    }
    return request.has(StunAttribute.MESSAGE_INTEGRITY) ? StunAttribute.MESSAGE_INTEGRITY : null;
  }

  /** Returns the algorithm of the key, or null if somebody on the path has changed the offer. */
  private static PasswordAlgorithm algorithm(StunMessage request) {
    boolean chosen = request.has(StunAttribute.PASSWORD_ALGORITHM);
    boolean listed = request.has(StunAttribute.PASSWORD_ALGORITHMS);
    if (!chosen && !listed) {
      return PasswordAlgorithm.MD5;
    }
    return PasswordAlgorithms.isOffer(request) ? PasswordAlgorithm.get(request) : null;
  }

  /** The key of the user who was authenticated last; null if the last check refused. */
  public StunKey key() {
    return key;
  }

  /** Returns the password algorithm of the request authenticated last. */
  public PasswordAlgorithm algorithm() {
    return algorithm;
  }

  /** Returns the token of the request authenticated last, null = it has a user's password. */
  public AccessToken token() {
    return token;
  }

  /** Returns the attribute that protects the answer to the request authenticated last. */
  public StunAttribute answerWith() {
    return answerWith;
  }

  /**
   * Adds the check value to an answer, also to one that comes after other requests have been
   * checked.
   *
   * @param with what {@link #answerWith} was after the request's own check
   * @param of what {@link #key} was then
   */
  public void sign(StunWriter answer, StunAttribute with, StunKey of) {
    integrity.put(answer, with, of);
  }

  /**
   * Adds what each 401 and 438 has: REALM, NONCE, PASSWORD-ALGORITHMS, and
   * THIRD-PARTY-AUTHORIZATION if the server takes tokens.
   */
  public void challenge(StunWriter answer, long high, long low, int port, long now) {
    StunBytes.put(answer, StunAttribute.REALM, realm);
    nonces.put(answer, high, low, port, now);
    if ((nonces.features() & NonceCookie.PASSWORD_ALGORITHMS) != 0) {
      PasswordAlgorithms.put(answer);
    }
    if (tokens != null) {
      tokens.put(answer);
    }
  }
}
