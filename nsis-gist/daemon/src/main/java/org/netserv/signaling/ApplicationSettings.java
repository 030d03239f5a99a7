// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import java.util.Set;

/**
 * The part of policy that applies to requests. A reload of the policy replaces it.
 *
 * @param enabled false if every Query passes by
 * @param secure true if requests and responses travel by TLS only
 * @param lastNode true if the node acts as the end of every path and sends nothing on
 * @param interfaces indexes of the interfaces on which peers are welcome; empty = all
 * @param hopPerMinute REQUESTs a minute by one source address
 * @param publisherPerMinute REQUESTs a minute that one registered publisher may send where its
 *     source has used up its rate
 * @param probesPerMinute PROBEs a minute of strangers by one source address
 * @param budgetMax longest BUDGET that is honoured, ms; a longer one is cut
 * @param stateSeconds seconds that routing state stays after the last request of a session
 */
record ApplicationSettings(
    boolean enabled,
    boolean secure,
    boolean lastNode,
    Set<Integer> interfaces,
    int hopPerMinute,
    int publisherPerMinute,
    int probesPerMinute,
    int budgetMax,
    int stateSeconds) {
  static final ApplicationSettings DEFAULT =
      new ApplicationSettings(true, false, false, Set.of(), 6000, 1200, 60, 120_000, 120);

  ApplicationSettings {
    interfaces = Set.copyOf(interfaces);
  }
}
