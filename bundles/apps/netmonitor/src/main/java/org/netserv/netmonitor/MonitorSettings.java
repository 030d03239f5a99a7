// SPDX-License-Identifier: Apache-2.0
package org.netserv.netmonitor;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
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
  static MonitorSettings of(Map<String, ?> properties) {
    int rows = number(properties, MAX_ROWS, ROWS_DEFAULT, 64, ROWS_MOST);
    return new MonitorSettings(
        collector(properties),
        text(properties, NODE, ""),
        text(properties, MODULE, NetMonitor.PID),
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

  private static Ipfix ipfix(Map<String, ?> all) {
    ModuleProperties properties = new ModuleProperties(all);
    InetSocketAddress collector = properties.address(IPFIX);
    int seconds = properties.number(IPFIX_SECONDS, 10, 1, 3600);
    int domain = properties.number(IPFIX_DOMAIN, 1, 0, 999_999_999);
    int sampling = properties.number(IPFIX_SAMPLING, 1, 1, 1 << 20);
    return collector == null ? null : new Ipfix(collector, seconds, domain, sampling);
  }

  private static String text(Map<String, ?> properties, String name, String absent) {
    Object value = properties.get(name);
    return value == null ? absent : value.toString().strip();
  }

  /** An address literal only: nothing here looks up a name. */
  private static InetSocketAddress collector(Map<String, ?> properties) {
    String address = text(properties, ADDRESS, "");
    if (address.isEmpty()) {
      return null;
    }
    boolean literal =
        address.matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}")
            || (address.indexOf(':') >= 0 && address.matches("[0-9a-fA-F:.]{2,45}"));
    if (literal) {
      try {
        int port = number(properties, PORT, -1, 1, 65535);
        return new InetSocketAddress(InetAddress.getByName(address), port);
      } catch (UnknownHostException e) {
        literal = false;
      }
    }
    throw new IllegalArgumentException(ADDRESS + ": not an address: " + address);
  }

  private static int number(
      Map<String, ?> properties, String name, int absent, int least, int most) {
    String text = text(properties, name, Integer.toString(absent));
    if (!text.matches("[0-9]{1,9}")) {
      throw new IllegalArgumentException(name + ": missing or not a number");
    }
    int value = Integer.parseInt(text);
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + ": " + value + " is not between " + least + " and " + most);
    }
    return value;
  }
}
