// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import java.io.IOException;
import java.net.InetAddress;
import java.util.Map;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;

/**
 * An application of NetServ that a publisher runs on a node.
 *
 * @param testbed where it runs
 * @param node its node
 */
record PublishedApp(Testbed testbed, String node) {
  private static final String PUBLISHER = "sip";

  /**
   * Starts an application, and waits until it runs.
   *
   * @param at the node that it has to run on
   * @param jar its name
   * @param host a host of the publisher, by its name in the topology
   */
  static PublishedApp start(
      Testbed testbed, String at, String jar, String host, Map<String, String> properties)
      throws IOException {
    LabPublisher publisher = testbed.publisher(PUBLISHER);
    LabPublisher.Bundle bundle = publisher.publish(LabHome.dist().resolve("apps/" + jar + ".jar"));
    InetAddress address = testbed.topology().node(host).address(false).ip();
    try (NodeClient client = testbed.client(at)) {
      NodeClient.Answer answer =
          client.ncm(publisher.setup(bundle, address, address, Map.of(), properties));
      if (!answer.running()) {
        throw new LabException("refused: " + answer);
      }
    }
    return new PublishedApp(testbed, at);
  }

  /** Returns the rules of a service router that the kernel of the node has. */
  long rules() throws IOException {
    return counter("serval-rules");
  }

  /** Returns the packets that the kernel of the node has routed by serviceID. */
  long routed() throws IOException {
    return counter("serval-routed");
  }

  private long counter(String name) throws IOException {
    try (NodeClient client = testbed.client(node)) {
      return client.counters(PUBLISHER).findPath(name).asLong(0);
    }
  }
}
