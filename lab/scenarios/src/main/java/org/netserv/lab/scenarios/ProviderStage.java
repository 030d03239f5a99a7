// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.List;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.ProviderDaemon;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabHome;

/** The testbed {@code provider} with a provider that deploys the KeepAlive Responder. */
final class ProviderStage {
  static final String SERVER = "192.0.2.10";

  private final Testbed testbed;
  private final ProviderDaemon daemon;

  private ProviderStage(Testbed testbed, ProviderDaemon daemon) {
    this.testbed = testbed;
    this.daemon = daemon;
  }

  /**
   * Writes the provider's settings, and starts nothing.
   *
   * @param ttl of the module in seconds
   */
  static ProviderStage prepare(Testbed testbed, int ttl) throws IOException {
    LabPublisher publisher = testbed.publisher(Stage.PUBLISHER);
    Bundle bundle = publisher.publish(LabHome.dist().resolve("apps/keepalive.jar"));
    List<String> known = List.of(nodeId(testbed, "east"), nodeId(testbed, "west"));
    ProviderDaemon daemon = ProviderDaemon.prepare(testbed, "server", publisher, known);
    daemon.section(
        """
        path: {check: 5, retry: 5, budget: 60}
        keepalive:
          module:
            bundle: %s
            url: http://%s/%s
            ttl: %d
            filter-port: "5060"
            filter-proto: udp
            properties: {pass-every: "0"}
        """
            .formatted(
                testbed.state().resolve("bundles").resolve(bundle.file()),
                SERVER,
                bundle.file(),
                ttl));
    return new ProviderStage(testbed, daemon);
  }

  private static String nodeId(Testbed testbed, String node) throws IOException {
    try (NodeClient client = testbed.client(node)) {
      return client.status().path("nodeId").asText();
    }
  }

  ProviderDaemon daemon() {
    return daemon;
  }

  private JsonNode part() throws IOException {
    return daemon.status().path("parts").path("keepalive");
  }

  /** Returns the number of addresses that a running node covers. */
  long covered() throws IOException {
    return part().path("addresses").path("covered").asLong();
  }

  /** Returns the number of nodes that run the module, as the provider knows it. */
  long running() throws IOException {
    long running = 0;
    for (JsonNode node : part().path("nodes")) {
      running += node.path("state").asText().equals("running") ? 1 : 0;
    }
    return running;
  }

  /** Returns the number of addresses that the provider counts for a node. */
  long addressesOf(String node) throws IOException {
    String id = nodeId(testbed, node);
    for (JsonNode entry : part().path("nodes")) {
      if (entry.path("id").asText().equals(id)) {
        return entry.path("addresses").asLong();
      }
    }
    return 0;
  }

  /** Returns the number of agents that the provider knows by their keep-alives. */
  long keepingAlive() throws IOException {
    JsonNode agents = daemon.status().path("agents");
    return agents.path("known").asLong() - agents.path("registered").asLong();
  }

  /** Returns one of the provider's counters; -1 = there is none of that name. */
  long counter(String name) throws IOException {
    return daemon.status().path("counters").path(name).asLong(-1);
  }

  /** Tells whether a node itself says that the module runs. */
  boolean runs(String node) throws IOException {
    try (NodeClient client = testbed.client(node)) {
      return client.why(Stage.PUBLISHER, PathStage.MODULE).path("state").asText().equals("running");
    } catch (IOException e) {
      return false; // the node knows nothing of the module
    }
  }

  /** Returns how often a node has begun to install the module. */
  long installations(String node) throws IOException {
    try (NodeClient client = testbed.client(node)) {
      return PathStage.installed(client.why(Stage.PUBLISHER, PathStage.MODULE).path("history"));
    }
  }
}
