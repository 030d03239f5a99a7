// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import org.osgi.annotation.versioning.ProviderType;

/** The dispatcher's side of {@link Packet#steal}. Not for modules. */
@ProviderType
@FunctionalInterface
public interface Theft {
  /**
   * Opens a handle for the packet that is being processed. Called on the packet thread.
   *
   * @return null if it must not be stolen now
   */
  Stolen take(Packet packet);
}
