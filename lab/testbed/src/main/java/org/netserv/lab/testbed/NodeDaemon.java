// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.topology.Topology;
import org.netserv.lab.testbed.topology.Topology.Node;
import org.netserv.policy.NodePolicy;
import org.netserv.policy.PolicyException;
import org.netserv.policy.PolicyWriter;

/**
 * Starts a real NetServ node inside a testbed: the supervisor, with a root directory of its own.
 */
public final class NodeDaemon {
  /** A generous limit, because several nodes start at the same time. */
  private static final Duration START = Duration.ofMinutes(2);

  private static final String NAME = "netserv";
  private static final String LACKING = "lacking";

  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  private final Testbed testbed;
  private final String node;
  private final Process process;

  private NodeDaemon(Testbed testbed, String node, Process process) {
    this.testbed = testbed;
    this.node = node;
    this.process = process;
  }

  /** Returns the node's root directory. */
  public static Path root(Testbed testbed, String node) {
    return testbed.state().resolve(node);
  }

  /**
   * Writes the node's configuration and starts the node. {@link #await} waits until it can be used.
   */
  public static NodeDaemon start(Testbed testbed, Node node, ObjectNode options)
      throws IOException {
    return start(testbed, node, options, List.of());
  }

  /** Starts a node with options for its JVMs, which come after the JVMs' usual options. */
  public static NodeDaemon start(
      Testbed testbed, Node node, ObjectNode options, List<String> jvmOptions) throws IOException {
    configure(testbed, node.name(), options);
    ClassData.give(root(testbed, node.name()));
    List<String> before = new ArrayList<>();
    if (options.has("processor")) {
      before.addAll(List.of("taskset", "-c", options.path("processor").asText()));
    }
    return start(testbed, node.name(), before, jvmOptions);
  }

  /** Starts a node again that was configured before. */
  public static NodeDaemon start(Testbed testbed, String node) throws IOException {
    return start(testbed, node, List.of(), List.of());
  }

  /**
   * Starts a node again under another program.
   *
   * @param before the words before its own command line
   */
  public static NodeDaemon start(Testbed testbed, String node, List<String> before)
      throws IOException {
    return start(testbed, node, before, List.of());
  }

  /** Returns the command prefix that hides a layer of isolation from the program after it. */
  public static List<String> lacking(String layer) {
    return List.of(LabHome.dist().resolve("bin/lab-lacking").toString(), layer, "--");
  }

  /**
   * Returns the command prefix that hides the layers that a node lacks by its topology. It is empty
   * if the node lacks none.
   */
  static List<String> lackingOf(Testbed testbed, String node) {
    return testbed.topology().node(node).daemons().stream()
        .filter(daemon -> daemon.kind().equals(NAME) && daemon.options().has(LACKING))
        .findFirst()
        .map(daemon -> lacking(daemon.options().path(LACKING).asText()))
        .orElse(List.of());
  }

  /** Makes the kernel of every node of a topology lack something. */
  public static void lackEverywhere(Topology topology, String what) {
    topology.nodes().values().stream()
        .flatMap(node -> node.daemons().stream())
        .filter(daemon -> daemon.kind().equals(NAME))
        .forEach(daemon -> daemon.options().put(LACKING, what));
  }

  private static NodeDaemon start(
      Testbed testbed, String node, List<String> before, List<String> jvmOptions)
      throws IOException {
    List<String> command = new ArrayList<>(before);
    command.addAll(lackingOf(testbed, node));
    command.addAll(
        List.of(
            LabHome.dist().resolve("bin/supervisor").toString(),
            "--root",
            root(testbed, node).toString(),
            "--dist",
            LabHome.dist().toString(),
            "--java",
            testbed.java().toString()));
    Stream.concat(LabHome.jvmOptions().stream(), jvmOptions.stream())
        .forEach(option -> command.addAll(List.of("--jvm-opt", option)));
    Process process = testbed.spawn(node, NAME, command);
    return new NodeDaemon(testbed, node, process);
  }

  /**
   * Waits until the node answers, can start containers, and its signaling receives messages along
   * paths.
   */
  public void await() throws IOException {
    Path root = root(testbed, node);
    try {
      Wait.until(
          "the node " + node + " to answer",
          START,
          () -> {
            if (!process.isAlive()) {
              throw new LabException(
                  "the supervisor of " + node + " ended: status " + process.exitValue());
            }
            return answers(root);
          });
    } catch (IOException e) {
      throw new LabException(
          e.getMessage()
              + "; its log:\n"
              + testbed.tail(node, NAME, 12)
              + "\nand the controller's:\n"
              + controllerLog(root, 12));
    }
  }

  /**
   * Writes node.yaml and the publishers as the topology has them. The lab adds keys, numbers and
   * anchors. The node's own reader then has to agree with all of it.
   */
  private static void configure(Testbed testbed, String node, ObjectNode options)
      throws IOException {
    Path etc = root(testbed, node).resolve("etc/netserv");
    Files.createDirectories(etc.resolve("publishers.d"));
    boolean has = options.path("config") instanceof ObjectNode;
    writePolicy(testbed, node, has ? (ObjectNode) options.path("config") : YAML.createObjectNode());
    try {
      int index = 0;
      for (Map.Entry<String, JsonNode> entry : options.path("publishers").properties()) {
        ObjectNode policy = YAML.createObjectNode();
        if (entry.getValue() instanceof ObjectNode more) {
          policy.setAll(more);
        }
        write(testbed, etc, entry.getKey(), policy.put("index", index++));
      }
      NodePolicy.load(etc);
    } catch (PolicyException e) {
      throw new LabException("the topology's node policy: " + e.getMessage());
    }
  }

  private static void write(Testbed testbed, Path etc, String name, ObjectNode policy)
      throws IOException, PolicyException {
    LabPublisher publisher = testbed.publisher(name);
    policy.putArray("keys").add(publisher.key());
    YAML.writeValue(etc.resolve("publishers.d").resolve(name + ".yaml").toFile(), policy);
    new PolicyWriter(etc).addAnchor(name, publisher.anchor());
  }

  /**
   * Writes a node.yaml. It has no spare containers and no spare jobs unless the configuration
   * orders them, because they take processor time from the measured processes.
   */
  public static void writePolicy(Testbed testbed, String node, ObjectNode config)
      throws IOException {
    ObjectNode whole = YAML.createObjectNode().put("spares", 0).put("spare-jobs", 0);
    whole.setAll(config);
    YAML.writeValue(root(testbed, node).resolve("etc/netserv/node.yaml").toFile(), whole);
  }

  /** Makes a running node read another node.yaml. */
  public static void reconfigure(Testbed testbed, String node, ObjectNode config)
      throws IOException {
    writePolicy(testbed, node, config);
    try (NodeClient client = testbed.client(node)) {
      client.reload();
    }
  }

  /**
   * Makes a running node read another node.yaml and one more publisher.
   *
   * @param config the whole of node.yaml
   * @param policy of the publisher with its index; the lab adds its keys
   */
  public static void reconfigure(
      Testbed testbed, String node, ObjectNode config, String publisher, ObjectNode policy)
      throws IOException {
    try {
      write(testbed, root(testbed, node).resolve("etc/netserv"), publisher, policy);
    } catch (PolicyException e) {
      throw new LabException("the policy of " + publisher + ": " + e.getMessage());
    }
    reconfigure(testbed, node, config);
  }

  private static boolean answers(Path root) {
    if (!Files.exists(root.resolve("run/netserv/admin.sock"))) {
      return false;
    }
    try (NodeClient client = NodeClient.connect(root)) {
      JsonNode status = client.status();
      JsonNode signaling = status.path("signaling");
      return status.path("spawner").asBoolean()
          && signaling.path("running").asBoolean()
          && signaling.path("sigio").asInt() == 1;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Keeps the class data that a node has made for the next node, before the node's files are
   * deleted.
   */
  public static void keep(Path root) throws IOException {
    ClassData.keep(root);
  }

  /** Returns the last lines of the controller's log. */
  public static String controllerLog(Path root, int lines) {
    return Testbed.tail(root.resolve("var/log/netserv/controller.log"), lines);
  }
}
