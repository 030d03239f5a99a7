// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.deny;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.netserv.lab.testbed.HostileBundle;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.ncm.Header;

/** The grounds of a testbed. A neighbour's keep-alive module runs on each node. */
final class Grounds {
  /**
   * Properties of the neighbour's module. It answers every keep-alive and passes none to the
   * server.
   */
  /** The module answers itself, so that attempts find no answer of its in the kernel. */
  private static final Map<String, String> ALWAYS = Map.of("pass-every", "0", "kernel", "0");

  private static final int SIP = 5060;

  private final Testbed testbed;
  private final Path classes;
  private final Map<String, User> users;
  private final Map<String, Bundle> bundles = new HashMap<>();
  private final Bundle neighbour;

  /**
   * Sets up the neighbours.
   *
   * @param classes of all attempts
   * @param users the user of each node, by the node's name
   */
  Grounds(Testbed testbed, Path classes, Map<String, User> users) throws IOException {
    this.testbed = testbed;
    this.classes = classes;
    this.users = users;
    LabPublisher publisher = testbed.publisher(Ground.VICTIM);
    neighbour = publisher.publish(LabHome.dist().resolve("apps/keepalive.jar"));
    for (String node : new String[] {"node", "control"}) {
      neighbour(node, publisher);
    }
  }

  private void neighbour(String node, LabPublisher publisher) throws IOException {
    var server = testbed.topology().node("server").interfaces();
    var address = server.get(node.equals("node") ? "eth0" : "eth1").get(0).ip();
    Map<Header, String> filter =
        Map.of(Header.FILTER_PORT, Integer.toString(SIP), Header.FILTER_PROTO, "udp");
    try (NodeClient client = testbed.client(node)) {
      var answer = client.ncm(publisher.setup(neighbour, address, address, filter, ALWAYS));
      if (!answer.running()) {
        throw new LabException("SETUP of the neighbour's module on " + node + ": " + answer);
      }
    }
  }

  Testbed testbed() {
    return testbed;
  }

  Ground ground(String node, String publisher) {
    return new Ground(this, node, publisher, users.get(node), neighbour);
  }

  /** Returns an attempt's bundle with a publisher's signature. Each bundle is made once. */
  synchronized Bundle bundle(String publisher, String attempt) throws IOException {
    String key = publisher + "/" + attempt;
    Bundle bundle = bundles.get(key);
    if (bundle == null) {
      bundle = testbed.publisher(publisher).publish(HostileBundle.attempt(attempt, classes));
      bundles.put(key, bundle);
    }
    return bundle;
  }

  /** Returns a publisher's policy as the topology has it. */
  ObjectNode policy(String node, String publisher) {
    return options(node).path("publishers").path(publisher).deepCopy();
  }

  ObjectNode config(String node) {
    return options(node).path("config").deepCopy();
  }

  private ObjectNode options(String node) {
    return testbed.topology().node(node).daemons().stream()
        .filter(daemon -> daemon.kind().equals("netserv"))
        .findFirst()
        .orElseThrow()
        .options();
  }
}
