// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Mobility tickets (RFC 8016). A ticket is 16 random bytes that name one allocation, written as 22
 * characters. coturn's client keeps a ticket as a C string, and would send back only what is before
 * a zero byte. A ticket serves once: each success gives the client the next one. The one before
 * stays known, because the answer with the next one may have been lost.
 */
final class Tickets {
  private static final int RANDOM_BYTES = 16;
  private static final Base64.Encoder TEXT = Base64.getUrlEncoder().withoutPadding();

  private final RandomGenerator random;
  private final Map<ByteBuffer, Allocation> byTicket = new HashMap<>();
  private final Map<Allocation, ByteBuffer[]> ofAllocation = new HashMap<>();

  Tickets(RandomGenerator random) {
    this.random = random;
  }

  /** Makes the next ticket of an allocation, and forgets the one before the last. */
  byte[] next(Allocation allocation) {
    byte[] bytes = new byte[RANDOM_BYTES];
    random.nextBytes(bytes);
    byte[] ticket = TEXT.encodeToString(bytes).getBytes(StandardCharsets.US_ASCII);
    ByteBuffer key = ByteBuffer.wrap(ticket);
    ByteBuffer[] known = ofAllocation.computeIfAbsent(allocation, a -> new ByteBuffer[2]);
    if (known[0] != null) {
      byTicket.remove(known[0]);
    }
    known[0] = known[1];
    known[1] = key;
    byTicket.put(key, allocation);
    return ticket;
  }

  /** Returns the allocation of a ticket, null = nobody's. */
  Allocation find(byte[] ticket) {
    return byTicket.get(ByteBuffer.wrap(ticket));
  }

  void forget(Allocation allocation) {
    ByteBuffer[] known = ofAllocation.remove(allocation);
    for (int i = 0; known != null && i < known.length; i++) {
      if (known[i] != null) {
        byTicket.remove(known[i]);
      }
    }
  }
}
