// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.netserv.serval.Endpoint;

/**
 * The tickets of a router. A ticket is a keyed hash of a SYN and of its way over this router, so
 * that the router keeps nothing. Only the host to which the router has sent the SYN can have the
 * SYN-ACK taken back, and only to the sender of the SYN.
 */
final class Tickets {
  /** Milliseconds for which a ticket is made. It counts as long again. */
  static final long SLOT = 60_000;

  private static final String ALGORITHM = "HmacSHA256";

  private final Mac mac;
  private final ByteBuffer input = ByteBuffer.allocate(8 + 2 * 20 + 2 * 4);

  Tickets(RandomGenerator random) {
    byte[] key = new byte[32];
    random.nextBytes(key);
    try {
      mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }

  /**
   * A SYN on its way over this router.
   *
   * @param from the client or router from which it came
   * @param to the instance or router to which it went
   * @param flow the client's flowID
   * @param verno of the SYN
   */
  record Passage(Endpoint from, Endpoint to, int flow, int verno) {}

  long issue(Passage passage, long now) {
    return ticket(passage, Math.floorDiv(now, SLOT));
  }

  /** Tells whether a ticket is that of a passage in this minute or the last one. */
  boolean isGood(long ticket, Passage passage, long now) {
    long slot = Math.floorDiv(now, SLOT);
    return ticket == ticket(passage, slot) || ticket == ticket(passage, slot - 1);
  }

  private long ticket(Passage passage, long slot) {
    input.clear().putLong(slot);
    put(passage.from());
    put(passage.to());
    input.putInt(passage.flow()).putInt(passage.verno());
    return ByteBuffer.wrap(mac.doFinal(input.array())).getLong();
  }

  private void put(Endpoint address) {
    input.putLong(address.high()).putLong(address.low()).putInt(address.port());
  }
}
