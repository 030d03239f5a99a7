// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.capture;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;

/** The kernel's count of packets, by UDP port and interface or by an address. */
public final class PacketCounter {
  private final Testbed testbed;
  private final String node;
  private final String chain;
  private final String comment;
  private final List<String> programs;

  private PacketCounter(
      Testbed testbed, String node, String chain, String comment, List<String> programs) {
    this.testbed = testbed;
    this.node = node;
    this.chain = chain;
    this.comment = comment;
    this.programs = programs;
  }

  /**
   * Installs a counter of packets that arrive for a port: a rule without a target, first in
   * raw/PREROUTING. The rule counts and does nothing else.
   */
  public static PacketCounter install(Testbed testbed, String node, String device, int port)
      throws IOException {
    return byPort(testbed, node, port, "PREROUTING", List.of("-i", device, "-p", "udp", "--dport"));
  }

  /** Installs a counter of packets that leave from a port of the node, in the same way. */
  public static PacketCounter leaving(Testbed testbed, String node, String device, int port)
      throws IOException {
    return byPort(testbed, node, port, "OUTPUT", List.of("-o", device, "-p", "udp", "--sport"));
  }

  private static PacketCounter byPort(
      Testbed testbed, String node, int port, String chain, List<String> match) throws IOException {
    List<String> whole = new ArrayList<>(match);
    whole.add(Integer.toString(port));
    String comment = "lab-count-" + match.get(1) + "-" + port;
    List<String> programs = List.of("iptables-nft", "ip6tables-nft");
    return install(new PacketCounter(testbed, node, chain, comment, programs), whole);
  }

  /** Installs a counter of packets of any kind to or from an IPv4 prefix. */
  public static PacketCounter of(Testbed testbed, String node, String option, String prefix)
      throws IOException {
    String comment = "lab-count" + option + "-" + prefix;
    return install(
        new PacketCounter(testbed, node, "PREROUTING", comment, List.of("iptables-nft")),
        List.of(option, prefix));
  }

  private static PacketCounter install(PacketCounter counter, List<String> match)
      throws IOException {
    for (String program : counter.programs) {
      List<String> rule = new ArrayList<>(List.of(program, "-w", "-t", "raw", "-I", counter.chain));
      rule.addAll(match);
      rule.addAll(List.of("-m", "comment", "--comment", counter.comment));
      counter.testbed.run(counter.node, rule.toArray(String[]::new));
    }
    return counter;
  }

  /** Returns the packets since the counter was installed. */
  public long read() throws IOException {
    long sum = 0;
    for (String program : programs) {
      sum += count(list(program));
    }
    return sum;
  }

  /**
   * Returns the packets of two IPv4 counters at the same moment.
   *
   * @param other of the same node
   */
  public long[] readWith(PacketCounter other) throws IOException {
    String list = list("iptables-nft");
    return new long[] {count(list), other.count(list)};
  }

  private String list(String program) throws IOException {
    return testbed.run(node, program, "-w", "-t", "raw", "-L", chain, "-v", "-x", "-n");
  }

  private long count(String list) throws IOException {
    return list.lines()
        .filter(line -> line.contains(comment + " "))
        .map(line -> line.strip().split(" +", 2)[0])
        .mapToLong(Long::parseLong)
        .findFirst()
        .orElseThrow(() -> new LabException("the counting rule is gone: " + list));
  }
}
