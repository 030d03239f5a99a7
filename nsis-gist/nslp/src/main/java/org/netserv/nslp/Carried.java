// SPDX-License-Identifier: Apache-2.0
package org.netserv.nslp;

import java.net.InetAddress;
import java.util.Optional;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmBinary;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.Trigger;

/**
 * The contents of a REQUEST: a message or a TRIGGER.
 *
 * @param ncm the message; of a TRIGGER, the message inside
 * @param trigger null if the REQUEST carries the message itself
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

  /**
   * Returns the destination of the path on which the message travels. A stranger's PROBE need not
   * name it.
   */
  public Optional<InetAddress> to() {
    return trigger == null ? ncm.to() : Optional.of(trigger.to());
  }

  /** Returns the name of the user that the message claims to come from. Nobody has checked it. */
  public Optional<String> user() {
    return ncm.user();
  }
}
