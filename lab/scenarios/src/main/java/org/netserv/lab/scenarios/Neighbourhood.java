// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.tool.KeepAliveStream;
import org.netserv.ncm.Header;
import org.netserv.ncm.Ncm;

/** A keep-alive responder and neighbours that burn CPU, on one node, with limits and without. */
final class Neighbourhood {
  /** A responder with the limits of its policy. */
  static final Victim LIMITED = new Victim("sip", 5060, true);

  /** A responder without limits, beside neighbours without limits. */
  static final Victim OPEN = new Victim("open", 5061, false);

  private static final String NOISY = "noisy";
  private static final String LOUD = "loud";
  private static final String SERVER = "192.0.2.10";
  private static final int FIRST_PORT = 6001;
  private static final int FIRST_INDEX = 100;
  private static final int AGENT_PORT = 4000;

  /** File with a line for each processor. The second number of a line counts drops. */
  private static final Path SOFTNET = Path.of("/proc/net/softnet_stat");

  /** Wait for the counters of a container, which are at most a second old. */
  private static final int COUNTED_MS = 1200;

  /** A responder. */
  record Victim(String publisher, int port, boolean limited) {}

  private interface Removal {
    Ncm get() throws IOException;
  }

  private final Stage stage;
  private final int neighbours;
  private final List<String> users;
  private final Map<String, Removal> removals = new HashMap<>();

  /**
   * @param users words that begin each command of a user and give it a processor or a priority
   */
  Neighbourhood(Stage stage, int neighbours, List<String> users) {
    this.stage = stage;
    this.neighbours = neighbours;
    this.users = users;
  }

  /** Sends keep-alives to a responder and waits for the result. */
  Map<String, Long> send(Victim victim, int rate, int seconds) throws IOException {
    int count = rate * seconds;
    List<String> agent =
        Testbed.tool(KeepAliveStream.class, SERVER, victim.port, rate, count, AGENT_PORT, "alone");
    return outside("agent", agent).result(5 * seconds + 60);
  }

  /**
   * Starts a flood to each neighbour. It skips what was due while it was kept from running: ten
   * floods that make up for it at once fill the kernel's backlog, and the responder's packets would
   * be dropped before the node sees them.
   */
  void flood(int rate, int seconds) throws IOException {
    String flood = LabHome.dist().resolve("bin/lab-flood") + " -s";
    int each = rate / neighbours;
    for (int i = 0; i < neighbours; i++) {
      String target = " " + SERVER + " " + (FIRST_PORT + i) + " " + each * seconds + " " + each;
      outside("flood", List.of("sh", "-c", "echo noise | exec " + flood + target));
    }
  }

  private Tool outside(String name, List<String> command) throws IOException {
    List<String> whole = new ArrayList<>(users);
    whole.addAll(command);
    return Tool.start(stage.testbed(), "user", stage.unique(name), whole);
  }

  void deploy(Victim victim) throws IOException {
    Path jar = LabHome.dist().resolve("apps/keepalive.jar");
    setUp(victim.publisher, jar, victim.port, Map.of("pass-every", "0"));
  }

  /** Starts the noise in each neighbour: the neighbours with limits or the neighbours without. */
  void setUpNeighbours(boolean limited, Path noise) throws IOException {
    for (int i = 0; i < neighbours; i++) {
      setUp((limited ? NOISY : LOUD) + (i + 1), noise, FIRST_PORT + i, Map.of());
    }
  }

  private void setUp(String publisher, Path unsigned, int port, Map<String, String> properties)
      throws IOException {
    LabPublisher signer = stage.testbed().publisher(publisher);
    LabPublisher.Bundle bundle = signer.publish(unsigned);
    InetAddress server = stage.server(false);
    Map<Header, String> filter =
        Map.of(Header.FILTER_PORT, Integer.toString(port), Header.FILTER_PROTO, "udp");
    try (NodeClient node = stage.testbed().client("node")) {
      NodeClient.Answer answer = node.ncm(signer.setup(bundle, server, server, filter, properties));
      if (!answer.running()) {
        throw new LabException("SETUP of " + publisher + "'s module: " + answer);
      }
    }
    removals.put(publisher, () -> signer.remove(bundle, server));
  }

  /** Removes the noise of the neighbours that have limits. */
  void removeNoisy() throws IOException {
    try (NodeClient node = stage.testbed().client("node")) {
      for (int i = 0; i < neighbours; i++) {
        NodeClient.Answer answer = node.ncm(removals.get(NOISY + (i + 1)).get());
        if (answer.status() != 200) {
          throw new LabException("REMOVE of a neighbour's module: " + answer);
        }
      }
    }
  }

  /**
   * Takes the limits away for containers from now on: quotas as high as they go, no cgroup and no
   * rules.
   */
  void withoutLimits() throws IOException {
    ObjectNode config = config();
    config.putObject("isolation").putArray("without").add("cgroup").add("rules");
    unlimited(config, FIRST_INDEX, OPEN.publisher, OPEN.port);
    raiseNeighbours(config);
  }

  /**
   * Raises the quotas of neighbours from now on as high as they go. A responder keeps its own
   * quotas.
   */
  void raiseNeighbours() throws IOException {
    raiseNeighbours(config());
  }

  private void raiseNeighbours(ObjectNode config) throws IOException {
    for (int i = 0; i < neighbours; i++) {
      unlimited(config, FIRST_INDEX + 1 + i, LOUD + (i + 1), FIRST_PORT + i);
    }
  }

  private static ObjectNode config() {
    ObjectNode config = JsonNodeFactory.instance.objectNode();
    config.putObject("fetch").putArray("allow").add(SERVER + "/32");
    return config;
  }

  private void unlimited(ObjectNode config, int index, String publisher, int port)
      throws IOException {
    ObjectNode policy = JsonNodeFactory.instance.objectNode();
    policy.put("index", index).put("operator", true);
    policy.putArray("prefixes").add(SERVER + "/32");
    policy.putArray("ports").add("udp/" + port);
    policy
        .putObject("quotas")
        .put("cpu", 6400)
        .put("memory", 4096)
        .put("heap", 1024)
        .put("packets-per-second", 0);
    policy.putObject("limits").put("deadline", 1000);
    NodeDaemon.reconfigure(stage.testbed(), "node", config, publisher, policy);
  }

  /** Returns the counters of a responder's pktio, after the controller has got the latest. */
  Map<String, Long> counters(Victim victim) throws IOException {
    Wait.pause(COUNTED_MS);
    Map<String, Long> counters = new TreeMap<>();
    try (NodeClient client = stage.testbed().client("node")) {
      for (JsonNode container : client.counters(victim.publisher()).path("containers")) {
        container
            .path("pktio")
            .properties()
            .forEach(counter -> counters.put(counter.getKey(), counter.getValue().asLong()));
      }
    }
    counters.put("backlog-dropped", backlogDropped());
    return counters;
  }

  /**
   * Returns the packets for which the kernel had no room in its backlog, on this machine in all
   * namespaces.
   */
  private static long backlogDropped() throws IOException {
    long dropped = 0;
    for (String processor : Files.readAllLines(SOFTNET)) {
      dropped += Long.parseLong(processor.split(" ", -1)[1], 16);
    }
    return dropped;
  }

  /**
   * Prints the counters that have grown since then, because they show where keep-alives may be
   * lost.
   */
  void printMoved(Victim victim, Map<String, Long> before) throws IOException {
    counters(victim)
        .forEach(
            (name, value) -> {
              long moved = value - before.getOrDefault(name, 0L);
              if (moved != 0) {
                stage.out().printf("  %s: %d more%n", name, moved);
              }
            });
  }
}
