// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.overload;

import java.util.List;
import org.netserv.lab.testbed.SipServer.Kind;

/**
 * The extent of a run.
 *
 * @param rounds measurements of each, in turn
 * @param kinds servers by UDP and by TCP
 * @param perSecond INVITEs of the flood, of each of the two networks
 * @param aloneSeconds of a flood to the server alone
 * @param edgesSeconds of a flood with the edges
 */
public record OverloadPlan(
    int rounds, List<Kind> kinds, int perSecond, int aloneSeconds, int edgesSeconds) {
  private static final int FLOOD = 1000;

  /** Returns what the table of docs/benchmarks.md is made by. */
  public static OverloadPlan full(int rounds) {
    return new OverloadPlan(rounds, List.of(Kind.UDP, Kind.TCP), FLOOD, 8, 15);
  }

  /** Returns a form for a look. */
  public static OverloadPlan quick() {
    return new OverloadPlan(1, List.of(Kind.UDP, Kind.TCP), FLOOD, 5, 6);
  }
}
