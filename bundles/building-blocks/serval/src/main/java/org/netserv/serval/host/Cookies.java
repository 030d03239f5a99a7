// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.host;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.netserv.serval.ControlMessage;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.flow.FlowIdentity;

/**
 * The numbers of SYN-ACKs for which nobody keeps state. They are a keyed hash of the SYN's own
 * numbers, its serviceID, its address and the time. The handshake's ACK repeats all of these, so
 * that only somebody who got the SYN-ACK can make it. The port is left out, because a NAT may give
 * the ACK another one.
 */
final class Cookies {
  /** Milliseconds for which a hash lasts, and for which the one before it counts. */
  static final long SLOT = 60_000;

  /** Numbers that a SYN may get, in case another flow has the first. */
  static final int CHOICES = 2;

  private static final String ALGORITHM = "HmacSHA256";

  private final Mac mac;
  private final int abilities;
  private final ByteBuffer input = ByteBuffer.allocate(9 + 16 + 16 + ServiceId.LENGTH);

  Cookies(byte[] key, int abilities) {
    this.abilities = abilities;
    try {
      mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }

  /** Returns the numbers for a SYN. The flowID may be taken or 0. */
  FlowIdentity issue(Opening syn, int choice) {
    return numbers(syn, syn.message().verno(), choice, slot(syn.time()));
  }

  /** Returns the numbers that a handshake's ACK proves, or null. */
  FlowIdentity proven(Opening opening) {
    ControlMessage ack = opening.message();
    long now = slot(opening.time());
    for (int choice = 0; choice < CHOICES; choice++) {
      for (long slot = now; slot >= now - 1; slot--) {
        FlowIdentity numbers = numbers(opening, ack.verno() - 1, choice, slot);
        if (numbers.flowId() == ack.destinationFlow() && numbers.verno() + 1 == ack.ackno()) {
          return numbers;
        }
      }
    }
    return null;
  }

  private static long slot(long now) {
    return Math.floorDiv(now, SLOT);
  }

  /** Returns the numbers for a client whose SYN had this verno. */
  private FlowIdentity numbers(Opening opening, int verno, int choice, long slot) {
    Endpoint from = opening.from();
    ControlMessage message = opening.message();
    input.clear().putLong(slot).put((byte) choice);
    input.putLong(from.high()).putLong(from.low());
    input.putInt(message.sourceFlow()).putInt(verno).putLong(message.nonce());
    opening.service().put(input, input.position());
    ByteBuffer hash = ByteBuffer.wrap(mac.doFinal(input.array()));
    return new FlowIdentity(hash.getInt(), hash.getLong(), hash.getInt(), abilities);
  }
}
