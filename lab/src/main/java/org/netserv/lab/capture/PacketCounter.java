// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.capture;

import java.io.IOException;
import java.util.List;
import org.netserv.lab.CommandException;
import org.netserv.lab.Testbed;

/** The kernel's count of UDP packets to one port that arrive on an interface, IPv4 and IPv6. */
public final class PacketCounter {
  private final Testbed testbed;
  private final String node;
  private final String comment;

  private PacketCounter(Testbed testbed, String node, String comment) {
    this.testbed = testbed;
    this.node = node;
    this.comment = comment;
  }

  /** A rule without a target, first in raw/PREROUTING: it counts and does nothing else. */
  public static PacketCounter install(Testbed testbed, String node, String device, int port)
      throws IOException {
    String comment = "lab-count-" + port;
    for (String program : List.of("iptables-nft", "ip6tables-nft")) {
      testbed.run(
          node,
          program,
          "-w",
          "-t",
          "raw",
          "-I",
          "PREROUTING",
          "-i",
          device,
          "-p",
          "udp",
          "--dport",
          Integer.toString(port),
          "-m",
          "comment",
          "--comment",
          comment);
    }
    return new PacketCounter(testbed, node, comment);
  }

  /** Packets since it was installed. */
  public long read() throws IOException {
    return count("iptables-nft") + count("ip6tables-nft");
  }

  private long count(String program) throws IOException {
    String list =
        testbed.run(node, program, "-w", "-t", "raw", "-L", "PREROUTING", "-v", "-x", "-n");
    return list.lines()
        .filter(line -> line.contains(comment + " "))
        .map(line -> line.strip().split(" +", 2)[0])
        .mapToLong(Long::parseLong)
        .findFirst()
        .orElseThrow(() -> new CommandException(program + ": the counting rule is gone: " + list));
  }
}
