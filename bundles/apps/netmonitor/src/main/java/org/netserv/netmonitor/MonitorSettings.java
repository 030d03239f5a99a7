// SPDX-License-Identifier: Apache-2.0
package org.netserv.netmonitor;

import java.net.InetSocketAddress;
import java.util.Map;
import org.netserv.module.ModuleProperties;

/**
 * The module's properties, checked. All come as text.
 *
 * @param collector where reports go; null = nowhere, it only counts
 * @param node name of the node in reports
 * @param module name of the module in reports
 * @param maxRows rows of the table, a power of two
 * @param ipfix the export of flows; null = none
 */
record MonitorSettings(
    InetSocketAddress collector, String node, String module, int maxRows, Ipfix ipfix) {
  static final String ADDRESS = "visualizer_ip";
  static final String PORT = "visualizer_port";
  static final String NODE = "node";
  static final String MODULE = "module";
  static final String MAX_ROWS = "max-rows";

  static final String IPFIX = "ipfix";
  static final String IPFIX_SECONDS = "ipfix-seconds";
  static final String IPFIX_DOMAIN = "ipfix-domain";
  static final String IPFIX_SAMPLING = "ipfix-sampling";

  private static final int ROWS_DEFAULT = 1 << 14;
  private static final int ROWS_MOST = 1 << 20;

  /**
   * @throws IllegalArgumentException naming the property that is wrong
   */
  static MonitorSettings of(Map<String, ?> all) {
    ModuleProperties properties = new ModuleProperties(all);
    int rows = properties.number(MAX_ROWS, ROWS_DEFAULT, 64, ROWS_MOST);
    return new MonitorSettings(
        collector(properties),
        properties.text(NODE, ""),
        properties.text(MODULE, NetMonitor.PID),
        Integer.highestOneBit(2 * rows - 1),
        ipfix(properties));
  }

  /**
   * The export of flows.
   *
   * @param seconds from one export to the next
   * @param domain the observation domain
   * @param sampling the counts are of one packet in so many
   */
  record Ipfix(InetSocketAddress collector, int seconds, int domain, int sampling) {}

  private static Ipfix ipfix(ModuleProperties properties) {
    InetSocketAddress collector = properties.address(IPFIX);
    int seconds = properties.number(IPFIX_SECONDS, 10, 1, 3600);
    int domain = properties.number(IPFIX_DOMAIN, 1, 0, 999_999_999);
    int sampling = properties.number(IPFIX_SAMPLING, 1, 1, 1 << 20);
    return collector == null ? null : new Ipfix(collector, seconds, domain, sampling);
  }

  /** Reads the collector of reports, which has its address and its port in two properties. */
  private static InetSocketAddress collector(ModuleProperties properties) {
    String address = properties.text(ADDRESS, "");
    if (address.isEmpty()) {
      return null;
    }
    int port = properties.number(PORT, 0, 1, 65535);
    String host = address.indexOf(':') < 0 ? address : "[" + address + "]";
    return new ModuleProperties(Map.of(ADDRESS, host + ":" + port)).address(ADDRESS);
  }
}
