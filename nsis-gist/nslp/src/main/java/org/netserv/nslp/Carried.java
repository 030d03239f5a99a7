// SPDX-License-Identifier: Apache-2.0
package org.netserv.nslp;

import java.net.InetAddress;
import java.util.Optional;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmBinary;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.Trigger;

/**
 * What a REQUEST carries, read: a message or a TRIGGER.
 *
 * @param ncm of a TRIGGER: the message inside
 * @param trigger null: the message itself
 */
public record Carried(Ncm ncm, Trigger trigger) {
  /** Reads the NCM of a REQUEST. */
  public static Carried decode(byte[] bytes) throws NcmException {
    if (Trigger.isTrigger(bytes)) {
      Trigger trigger = Trigger.decode(bytes);
      return new Carried(trigger.message(), trigger);
    }
    return new Carried(NcmBinary.decode(bytes), null);
  }

  /** The destination of the path it travels on; a stranger's PROBE need not say. */
  public Optional<InetAddress> to() {
    return trigger == null ? ncm.to() : Optional.of(trigger.to());
  }

  /** Who says it is speaking; nobody has checked. */
  public Optional<String> user() {
    return ncm.user();
  }
}
