// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.place;

import java.net.InetAddress;

/** Knows the places of addresses. Safe for several threads. */
@FunctionalInterface
public interface Places {
  /** Returns the place of an address; null = not known. */
  Place find(InetAddress address);
}
