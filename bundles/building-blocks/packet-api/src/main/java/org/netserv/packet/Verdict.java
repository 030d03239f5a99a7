// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

/** What a module decides about a packet. */
public enum Verdict {
  /** Not changed; the next module sees it, after the last one it travels on. */
  PASS,
  /** Ends here. */
  DROP,
  /** Changed through the packet's setters; the next module sees the changed packet. */
  CHANGED,
  /** Taken away to be answered later: return what {@link Packet#steal} returned. */
  STOLEN
}
