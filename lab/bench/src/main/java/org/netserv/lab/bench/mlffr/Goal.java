// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import java.util.List;

/**
 * A goal that compares one cell with another, in the cost of a packet and in the rate.
 *
 * @param paper ratio of rates in the paper, or the reason why the paper has none
 * @param most highest ratio of the cost of a packet; 0 = no goal
 * @param least lowest ratio of the rates; 0 = no goal
 */
record Goal(String what, String cell, String beside, String paper, double most, double least) {
  static final List<Goal> ALL =
      List.of(
          new Goal(
              "Java that reads the queue itself / best C", "direct", "queue", "0.52", 1.03, 0.95),
          new Goal("Java on the ring / C on the ring", "java", "ring", "0.52", 1.03, 0.95),
          new Goal("isolated (ring) / direct", "java", "direct", "not possible", 1.10, 0.90),
          new Goal("NetMonitor / bare Java", "netmonitor", "java", "1.00", 1.02, 0.98),
          new Goal(
              "NetMonitor in the kernel / netfilter",
              "netmonitor-kernel",
              "netfilter",
              "-",
              1.05,
              0.95),
          new Goal("KeepAlive / bare Java, 340 B", "keepalive-340", "java-340", "0.61", 1.08, 0.93),
          new Goal("AF_XDP: Java / C", "afxdp-java", "afxdp-c", "-", 1.05, 0.95),
          new Goal(
              "AF_XDP Java / netfilter, 2 cores", "afxdp-java-2", "netfilter-2", "0.29", 0, 0.70),
          new Goal("offloaded flows / netfilter", "offload", "netfilter", "-", 0.50, 1.15));
}
