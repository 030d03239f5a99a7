// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import java.util.Set;

/**
 * What policy says about requests; another one takes its place when policy is loaded again.
 *
 * @param enabled false: every Query passes by
 * @param secure requests come and go by TLS only
 * @param lastNode act as the end of every path: nothing is sent on
 * @param interfaces indexes of those by which peers are welcome; empty = all
 * @param hopPerMinute REQUESTs a minute by one source address
 * @param publisherPerMinute REQUESTs a minute that one registered publisher may send where its
 *     source has used up its rate
 * @param probesPerMinute PROBEs a minute of strangers by one source address
 * @param budgetMax longest BUDGET that is honoured, ms; a longer one is cut
 * @param stateSeconds how long routing state stays after the last request of a session
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
