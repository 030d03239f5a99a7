// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.admin;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.netserv.controller.loop.Loop;

/**
 * Answers that wait for their place in the stack. The signaling daemon knows the entry below, and
 * only the controller can sign. A ticket is valid for two minutes. Of more than 4096 tickets the
 * oldest is forgotten. On the loop.
 */
final class Tickets {
  static final int MAX = 4096;
  static final long MILLIS = 120_000;
  private static final int BYTES = 16;

  private final Loop loop;
  private final SecureRandom random;
  private final Map<String, Ticket> tickets = new LinkedHashMap<>();

  /**
   * An answer of this node.
   *
   * @param nonce of the request, 16 bytes; empty when the request has none
   * @param data JSON
   */
  @SuppressWarnings("ArrayRecordComponent") // nobody changes the array
  record Answer(byte[] nonce, int status, String data) {}

  private record Ticket(Answer answer, long until) {}

  Tickets(Loop loop, SecureRandom random) {
    this.loop = loop;
    this.random = random;
  }

  /** Issues a ticket that nobody can guess. */
  String issue(Answer answer) {
    byte[] name = new byte[BYTES];
    random.nextBytes(name);
    String ticket = HexFormat.of().formatHex(name);
    tickets.put(ticket, new Ticket(answer, loop.monotonic() + MILLIS));
    forget();
    return ticket;
  }

  Optional<Answer> find(String ticket) {
    forget();
    return Optional.ofNullable(tickets.get(ticket)).map(Ticket::answer);
  }

  private void forget() {
    Iterator<Ticket> oldest = tickets.values().iterator();
    while (oldest.hasNext()) {
      boolean over = oldest.next().until() <= loop.monotonic();
      if (!over && tickets.size() <= MAX) {
        return;
      }
      oldest.remove();
    }
  }
}
