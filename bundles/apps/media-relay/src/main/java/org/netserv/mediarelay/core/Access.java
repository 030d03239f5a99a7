// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.netserv.stun.AccessToken;
import org.netserv.stun.AccessTokens;
import org.netserv.stun.LongTermServer;
import org.netserv.stun.LongTermUsers;
import org.netserv.stun.Nonces;
import org.netserv.stun.Standing;
import org.netserv.stun.StunAttribute;
import org.netserv.stun.StunBytes;

/**
 * Finds out which user has sent a request (RFC 8489, 9.2.4), and asks strangers for credentials.
 */
public final class Access {
  private static final int DIGITS_MOST = 12;

  private final LongTermServer server;
  private final SessionUsers session = new SessionUsers();
  private final LongSupplier clock;
  private final boolean takesTokens;
  private final boolean rest;

  /**
   * @param users asked one after another
   * @param tokens asked for a request with an access token; null = the relay takes none
   * @param rest whether names begin with their expiry time, which is no part of the user
   * @param clock seconds since 1970
   */
  public Access(
      String realm,
      List<LongTermUsers> users,
      AccessTokens tokens,
      Nonces nonces,
      boolean rest,
      LongSupplier clock) {
    List<LongTermUsers> all = new ArrayList<>();
    all.add(session);
    all.addAll(users);
    server = new LongTermServer(realm, all, tokens, nonces);
    takesTokens = tokens != null;
    this.rest = rest;
    this.clock = clock;
  }

  /**
   * Checks the credentials. Returns why they are refused, null = the exchange knows its user.
   *
   * @param of the allocation that the request is for, whose maker may have old credentials; null =
   *     none
   */
  Why check(Exchange x, Allocation of) {
    session.allocation(of);
    Standing standing =
        server.check(
            x.request, x.client.high(), x.client.low(), noncePort(x.client), clock.getAsLong());
    session.allocation(null);
    if (standing != Standing.AUTHENTICATED) {
      return why(standing);
    }
    x.signature = server.answerWith();
    x.login = login(x);
    String name = new String(x.login.username(), StandardCharsets.UTF_8);
    x.user = x.login.isToken() ? name : user(name);
    return null;
  }

  private Login login(Exchange x) {
    AccessToken token = server.token();
    return new Login(
        StunBytes.copy(x.request, StunAttribute.USERNAME),
        server.key(),
        server.algorithm(),
        token == null ? Login.NO_TOKEN : token.secondsLeft(clock.getAsLong()));
  }

  /** Tells whether ACCESS-TOKEN is known. */
  boolean takesTokens() {
    return takesTokens;
  }

  private static Why why(Standing standing) {
    return switch (standing) {
      case NO_INTEGRITY -> Why.CHALLENGED;
      case STALE_NONCE, FOREIGN_NONCE -> Why.STALE_NONCE;
      case INCOMPLETE, ALGORITHM -> Why.BAD_REQUEST;
      case BAD_TOKEN -> Why.BAD_TOKEN;
      default -> Why.BAD_CREDENTIALS;
    };
  }

  /** Takes the expiry time off, so that quotas and usage are of the user. */
  private String user(String name) {
    int colon = name.indexOf(':');
    boolean timed = rest && colon > 0 && colon <= DIGITS_MOST;
    return timed && name.substring(0, colon).chars().allMatch(Character::isDigit)
        ? name.substring(colon + 1)
        : name;
  }

  /** Adds the attributes that a client needs to try again. */
  void challenge(Exchange x) {
    server.challenge(
        x.answer, x.client.high(), x.client.low(), noncePort(x.client), clock.getAsLong());
  }

  /** Protects an answer, also one that comes after the requests of other clients. */
  void sign(Exchange x) {
    server.sign(x.answer, x.signature, x.login.key());
  }

  /**
   * Returns the port for which a nonce holds. A connection has shown its address, and a client has
   * several: its data connections of RFC 6062 take the nonce of the first one.
   */
  private static int noncePort(Client client) {
    return client.transport().isStream() ? 0 : client.port();
  }
}
