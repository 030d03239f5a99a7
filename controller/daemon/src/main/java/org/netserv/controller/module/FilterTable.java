// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.Comparator;
import java.util.List;
import org.netserv.controller.log.ModuleKey;
import org.netserv.filter.FlowFilter;

/**
 * Makes the complete, ordered list of the spawner's verb {@code filters}. The kernel takes the
 * first rule that matches, so order is precedence. The longest destination prefix comes first, then
 * the older claim, then the name, so that the list does not depend on the order of events. Samples
 * copy packets and let all of them go on. They follow the same order.
 */
public final class FilterTable {

  /**
   * One filter of a running module. A filter with a count either has no sample or counts nothing,
   * see {@code fastpath.Counting}.
   *
   * @param queue the even queue number of its publisher's container
   * @param afxdp whether its packets may come by AF_XDP
   * @param since wall clock of the module's oldest claim
   * @param modules number of the set of modules that its publisher has now. Flows that one set has
   *     given away to the kernel do not belong to the next set. 0 = the set does not matter.
   */
  public record Claim(
      FlowFilter filter, int queue, boolean afxdp, long since, long modules, ModuleKey key) {}

  private static final Comparator<Claim> PRECEDENCE =
      Comparator.comparingInt((Claim c) -> c.filter().destination().length())
          .reversed()
          .thenComparingLong(Claim::since)
          .thenComparing(Claim::key);

  private FilterTable() {}

  public static List<String> lines(List<Claim> claims) {
    return claims.stream().sorted(PRECEDENCE).map(FilterTable::line).distinct().toList();
  }

  private static String line(Claim claim) {
    FlowFilter filter = claim.filter();
    StringBuilder line = new StringBuilder();
    line.append("family=").append(filter.family()).append(" proto=").append(filter.protocol());
    line.append(" dst=").append(filter.destination());
    if (filter.source() != null) {
      line.append(" src=").append(filter.source());
    }
    if (filter.destinationPorts() != null) {
      line.append(" dport=")
          .append(filter.destinationPorts().first())
          .append('-')
          .append(filter.destinationPorts().last());
    }
    if (filter.sourcePorts() != null) {
      line.append(" sport=")
          .append(filter.sourcePorts().first())
          .append('-')
          .append(filter.sourcePorts().last());
    }
    line.append(" queue=").append(claim.queue());
    if (filter.takes()) {
      return line.append(" take=").append(filter.take()).toString();
    }
    if (filter.count() != null) {
      return line.append(" count=").append(filter.count()).toString();
    }
    if (filter.sample() > 0) {
      line.append(" sample=").append(filter.sample());
    }
    if (claim.afxdp() && filter.sample() == 0) {
      line.append(" plane=afxdp");
    }
    if (filter.match() != null) {
      line.append(" match=").append(filter.match());
    }
    if (claim.modules() != 0) {
      line.append(" claim=").append(claim.modules());
    }
    return line.toString();
  }
}
