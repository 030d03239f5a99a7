// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

/** A module's decision about a packet. */
public enum Verdict {
  /** Not changed. The next module sees the packet. After the last module it travels on. */
  PASS,
  /** Ends here. */
  DROP,
  /** Changed through the packet's setters; the next module sees the changed packet. */
  CHANGED,
  /** Taken away to be answered later. Return the result of {@link Packet#steal}. */
  STOLEN
}
