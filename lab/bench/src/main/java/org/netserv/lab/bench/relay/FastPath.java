// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.relay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.Wait;

/** The node's {@code fast-path}, whose way of forwarding changes between the turns of servers. */
final class FastPath {
  /** Through the stack and its rules, which is what the topology orders. */
  static final String KERNEL = "kernel";

  /** Past netfilter, by XDP. */
  static final String DIRECT = "direct";

  private static final String NODE = "node";
  private static final String NAME = "fast-path";
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Testbed testbed;
  private String forward = KERNEL;

  FastPath(Testbed testbed) {
    this.testbed = testbed;
  }

  /** Makes the node forward in this way, and waits until it does. */
  void forward(String wanted) throws IOException {
    if (wanted.equals(forward)) {
      return;
    }
    ObjectNode config = config();
    ((ObjectNode) config.path(NAME)).put("forward", wanted);
    NodeDaemon.reconfigure(testbed, NODE, config);
    Wait.until("the fast path's " + wanted, PATIENCE, () -> wanted.equals(carriedOut()));
    forward = wanted;
  }

  private ObjectNode config() throws IOException {
    JsonNode config =
        testbed.topology().node(NODE).daemons().stream()
            .map(daemon -> daemon.options().path("config"))
            .filter(options -> options.path(NAME).isObject())
            .findFirst()
            .orElseThrow(() -> new LabException("the topology orders no fast path"));
    return config.deepCopy();
  }

  private String carriedOut() throws IOException {
    try (NodeClient node = testbed.client(NODE)) {
      return node.status().path("fastPath").path("forward").asText();
    }
  }
}
