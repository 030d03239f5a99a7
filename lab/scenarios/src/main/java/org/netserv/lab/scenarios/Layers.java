// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeClient.Answer;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.ncm.Header;
import org.netserv.ncm.Ncm;
import org.netserv.policy.IsolationPolicy;
import org.netserv.policy.LayerCovers;

/**
 * Plays nodes that lack one layer of isolation, each layer in turn. The doctor must report the
 * missing layer, and so must a PROBE. The operator's own publisher must be served anyway.
 *
 * <p>If no other layers cover the missing one, the node must refuse a third party by the layer's
 * name, and serve it when node.yaml accepts that. If other layers cover it, the node must serve a
 * third party at once, and refuse it when node.yaml requires the layer. The first row plays the
 * machine as it is.
 */
public final class Layers implements Scenario {
  private static final String NODE = "node";
  private static final String OPERATOR = "own";
  private static final int REFUSED = 424;
  private static final Map<Header, String> FILTER =
      Map.of(Header.FILTER_PORT, "5060", Header.FILTER_PROTO, "udp");

  /**
   * Layers that every kernel has that runs a node at all. For these node.yaml leaves the layer out
   * instead.
   */
  private static final Set<String> BY_POLICY =
      Set.of("rules", "rlimits", "uid", "capabilities", "no-new-privs");

  /** Jars of the class path that a container of a packet module needs, of some thirty. */
  private static final int OPEN_JARS = 14;

  /** The last JDK that can have an index of a class path. */
  private static final int LAST_WITH_INDEX = 21;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final ResultTable table =
      new ResultTable(
          "lacks", "by", "doctor", "PROBE", "third party", "accepted or required", "own", "");
  private Stage stage;
  private Testbed testbed;
  private LabPublisher stranger;
  private LabPublisher operator;
  private Bundle strangers;
  private Bundle operators;
  private boolean holds = true;

  /** Layers that this machine lacks, whatever a row takes away. */
  private Set<String> own = Set.of();

  @Override
  public String topology() {
    return "layers";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    stranger = testbed.publisher(Stage.PUBLISHER);
    operator = testbed.publisher(OPERATOR);
    Path bundle = LabHome.dist().resolve("apps/keepalive.jar");
    strangers = stranger.publish(bundle);
    operators = operator.publish(bundle);
    nothing();
    List<String> layers = new ArrayList<>(IsolationPolicy.LAYERS);
    layers.remove("java"); // no kernel can lack it
    layers.sort(Comparator.comparing(layer -> !BY_POLICY.contains(layer)));
    for (String layer : layers) {
      if (stage.wants(layer)) {
        one(layer);
      }
    }
    stage.show(table);
    return holds;
  }

  /**
   * Plays the node that lacks nothing more. Without this row the others could be refusals of a node
   * that serves nobody.
   */
  private void nothing() throws IOException {
    stage.step("a node that lacks nothing but what the machine does");
    try (NodeClient client = testbed.client(NODE)) {
      List<String> doctor = doctor(List.of());
      List<String> probe = missing(client);
      own = Set.copyOf(probe);
      Answer third = client.ncm(setup(stranger, strangers));
      Answer mine = client.ncm(setup(operator, operators));
      boolean accepted = acceptsOptions();
      boolean few = opensFewJars();
      remove(client);
      boolean covered = LayerCovers.among(own).keySet().equals(own);
      boolean right =
          doctor.equals(probe) && covered && third.running() && mine.running() && accepted && few;
      row("nothing", "", doctor, probe, third, new Answer(0, "", ""), mine, right);
    }
  }

  /** Looks if the virtual machine of the third party's container has taken all its options. */
  private boolean acceptsOptions() throws IOException {
    List<String> complaints = ContainerLog.complaints(testbed, NODE, Stage.PUBLISHER);
    complaints.forEach(line -> stage.out().println("  the virtual machine says: " + line));
    return complaints.isEmpty();
  }

  /**
   * Looks if the third party's container has opened no jar of its class path in vain. A container
   * that ignores the path's index opens all. JDKs after 21 do so.
   */
  private boolean opensFewJars() throws IOException {
    Set<Path> open = NodeProcesses.of(testbed, NODE).openFiles("container", ".jar");
    stage.out().println("  jars that the container has open: " + open.size());
    return Runtime.version().feature() > LAST_WITH_INDEX || open.size() <= OPEN_JARS;
  }

  private void one(String layer) throws IOException {
    boolean simulated = !BY_POLICY.contains(layer);
    stage.step("a node that lacks " + layer);
    List<String> without = simulated ? List.of() : List.of(layer);
    List<String> lacking =
        simulated && !own.contains(layer) ? NodeDaemon.lacking(layer) : List.of();
    if (simulated) {
      NodeProcesses.of(testbed, NODE).stop();
    }
    configure(without, List.of(), List.of());
    if (simulated) {
      NodeDaemon.start(testbed, NODE, lacking).await();
    }
    try (NodeClient client = testbed.client(NODE)) {
      if (!simulated) {
        client.reload();
      }
      List<String> doctor = doctor(lacking);
      List<String> probe = missing(client);
      boolean covered = LayerCovers.among(Set.copyOf(probe)).containsKey(layer);
      Answer first = client.ncm(setup(stranger, strangers));
      Answer mine = client.ncm(setup(operator, operators));
      configure(without, covered ? List.of() : probe, covered ? List.of(layer) : List.of());
      if (covered) {
        remove(client); // else the node would take it down in its own time
      }
      client.reload();
      Answer second = client.ncm(setup(stranger, strangers));
      remove(client);
      Answer served = covered ? first : second;
      Answer refused = covered ? second : first;
      boolean right =
          doctor.equals(probe)
              && probe.contains(layer)
              && refused.status() == REFUSED
              && refused.reason().contains(layer)
              && served.running()
              && mine.running();
      String by = simulated ? "kernel" : "node.yaml";
      row(layer, by, doctor, probe, first, second, mine, right);
    }
  }

  private void remove(NodeClient client) throws IOException {
    client.ncm(stranger.remove(strangers, server()));
    client.ncm(operator.remove(operators, server()));
  }

  private void row(
      String lacks,
      String by,
      List<String> doctor,
      List<String> probe,
      Answer third,
      Answer changed,
      Answer mine,
      boolean right)
      throws IOException {
    holds &= right;
    String with = changed.status() == 0 ? "" : "" + changed.status();
    table.row(
        lacks, by, doctor, probe, third.status(), with, mine.status(), right ? "holds" : "WRONG");
    stage.out().println("  third party: " + third);
    if (!right) {
      stage.out().println("  WRONG: with the other policy: " + changed + "; own: " + mine);
      stage.out().println(NodeDaemon.controllerLog(NodeDaemon.root(testbed, NODE), 15));
    }
  }

  /** Returns the layers that the doctor has found missing. */
  private List<String> doctor(List<String> lacking) throws IOException {
    List<String> command = new ArrayList<>(lacking);
    command.addAll(
        List.of(
            LabHome.home().resolve("netserv").toString(),
            "doctor",
            "--json",
            "--root",
            NodeDaemon.root(testbed, NODE).toString()));
    List<String> layers = new ArrayList<>();
    String printed = testbed.run(NODE, command.toArray(String[]::new));
    for (JsonNode finding :
        JSON.readTree(printed.substring(printed.indexOf('{'))).path("findings")) {
      String check = finding.path("check").asText();
      boolean missing =
          !finding.path("level").asText().equals("OK")
              || finding.path("text").asText().startsWith("missing");
      if (check.startsWith("layer-") && missing) {
        layers.add(check.substring("layer-".length()));
      }
    }
    return layers;
  }

  /** Returns the layers that a PROBE reports as missing to a third party. */
  private List<String> missing(NodeClient client) throws IOException {
    List<String> names = new ArrayList<>();
    client
        .data(stranger.probe("capabilities", server()))
        .path("capabilities")
        .path("missing")
        .forEach(name -> names.add(name.asText()));
    return names;
  }

  private Ncm setup(LabPublisher publisher, Bundle bundle) throws IOException {
    return publisher.setup(bundle, server(), server(), FILTER, Map.of());
  }

  private InetAddress server() {
    return stage.server(false);
  }

  /** Writes the topology's node.yaml with a section about isolation. */
  private void configure(List<String> without, List<String> accepted, List<String> required)
      throws IOException {
    ObjectNode config =
        testbed.topology().node(NODE).daemons().get(0).options().path("config").deepCopy();
    ObjectNode isolation = config.putObject("isolation");
    without.forEach(isolation.putArray("without")::add);
    accepted.forEach(isolation.putArray("accept-missing")::add);
    required.forEach(isolation.putArray("require")::add);
    NodeDaemon.writePolicy(testbed, NODE, config);
  }
}
