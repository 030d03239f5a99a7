// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

/** The kinds of a {@link Decision}. */
public enum Verdict {
  /** Not changed. The next module sees the packet. After the last module it travels on. */
  PASS,
  /** Ends here. */
  DROP,
  /** Changed through the packet's setters; the next module sees the changed packet. */
  CHANGED,
  /** Taken away to be answered later, by {@link Decision#steal}. */
  STOLEN
}
