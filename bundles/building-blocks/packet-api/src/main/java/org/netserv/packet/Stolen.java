// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import org.osgi.annotation.versioning.ProviderType;

/**
 * A packet taken away by {@link Decision#steal}. Answer it once, from any thread. Each method
 * returns false if the packet was answered before, if the module is gone, or if the request is not
 * possible. A packet that is not answered within the publisher's steal time travels on as it came.
 */
@ProviderType
public interface Stolen {
  /** Lets it travel on as it came. */
  boolean pass();

  /** Drops it. */
  boolean drop();

  /**
   * Lets {@code packet}, a whole IP packet, travel instead of the stolen packet. The rules for a
   * changed packet hold here too. The node checks addresses, ports and length, and falls back to
   * the original.
   *
   * @return false also if it does not fit the slot or the MTU; the packet is then still to be
   *     answered
   */
  boolean change(byte[] packet);
}
