// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.topology.TopologyException;
import org.netserv.lab.testbed.topology.TopologyReader;

/** A sender, a fresh router and a receiver. */
final class Stand implements Closeable {
  static final String NODE = "node";
  static final String RECEIVER_ADDRESS = "198.51.100.10";

  private static final String RECEIVER_LINK = "02:00:00:00:02:02";

  private final Testbed testbed;

  private Stand(Testbed testbed) {
    this.testbed = testbed;
  }

  static Stand open(PrintStream out) throws IOException {
    try {
      Stand stand =
          new Stand(
              Testbed.temporary(TopologyReader.read(LabHome.file("topologies/mlffr.yaml")), out));
      stand.wire();
      return stand;
    } catch (TopologyException e) {
      throw new IOException(e);
    }
  }

  /**
   * Gives the interfaces the addresses that lab-mlffr knows, and the router a permanent neighbour
   * entry, so that no node needs ARP.
   */
  private void wire() throws IOException {
    address("sender", "out", "02:00:00:00:01:01");
    address(NODE, "labin", "02:00:00:00:01:02");
    address(NODE, "labout", "02:00:00:00:02:01");
    address("receiver", "in", RECEIVER_LINK);
    testbed.run(
        NODE,
        "ip",
        "neigh",
        "replace",
        RECEIVER_ADDRESS,
        "lladdr",
        RECEIVER_LINK,
        "dev",
        "labout",
        "nud",
        "permanent");
  }

  private void address(String node, String link, String address) throws IOException {
    testbed.run(node, "ip", "link", "set", "dev", link, "address", address);
  }

  Testbed testbed() {
    return testbed;
  }

  /** Returns all firewall rules of the router. */
  String rules() throws IOException {
    return testbed.run(NODE, "iptables-nft-save");
  }

  /** Replaces the router's rules with the saved rules of another. */
  void rules(String saved) throws IOException {
    Path file = testbed.state().resolve("rules");
    Files.writeString(file, saved);
    testbed.run(NODE, "iptables-nft-restore", file.toString());
  }

  /** Starts one of the bench's packet readers in the router, and returns when it reads. */
  ProcessHandle reader(String program, Object... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(LabHome.dist().resolve("bin").resolve(program).toString());
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return Tool.start(testbed, NODE, "reader", command).await("reads packets").process();
  }

  @Override
  public void close() throws IOException {
    testbed.close();
  }
}
