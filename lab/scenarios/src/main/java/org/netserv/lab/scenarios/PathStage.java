// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.PathPublisher;
import org.netserv.lab.testbed.PathPublisher.Entry;
import org.netserv.lab.testbed.PathPublisher.Reply;
import org.netserv.lab.testbed.PathPublisher.Route;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.topology.Topology;

/**
 * A topology of path.yaml that is up, seen from two sides. The publisher's host sends the messages.
 * The nodes themselves show the effect by their status, audit log and firewall.
 */
final class PathStage implements Closeable {
  static final String MODULE = "NetServ.apps.KeepAlive";

  /** Seconds that the whole path may take. Three nodes start a JVM each, on two cores. */
  static final int BUDGET = 90;

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration SOON = Duration.ofSeconds(60);

  private final Stage stage;
  private final PathPublisher publisher;
  private final Bundle bundle;

  /**
   * Names of the NetServ nodes in the file's order, which is path order. {@link #names} maps their
   * ids back to names.
   */
  private final List<String> nodes = new ArrayList<>();

  private final Map<String, String> names = new HashMap<>();
  private final Map<String, String> rules = new HashMap<>();

  private PathStage(Stage stage, PathPublisher publisher, Bundle bundle) {
    this.stage = stage;
    this.publisher = publisher;
    this.bundle = bundle;
  }

  /** Signs the keep-alive module and starts the publisher's program on node {@code publisher}. */
  static PathStage open(Stage stage) throws IOException {
    LabPublisher sip = stage.testbed().publisher(Stage.PUBLISHER);
    Bundle bundle = sip.publish(LabHome.dist().resolve("apps/keepalive.jar"));
    PathPublisher program = PathPublisher.start(stage.testbed(), "publisher", sip);
    PathStage path = new PathStage(stage, program, bundle);
    for (Topology.Node node : stage.testbed().topology().nodes().values()) {
      if (node.daemons().stream().anyMatch(daemon -> daemon.kind().equals("netserv"))) {
        path.nodes.add(node.name());
        path.names.put(path.status(node.name()).path("nodeId").asText(), node.name());
        path.rules.put(node.name(), path.rulesNow(node.name()));
      }
    }
    program.known(path.names.keySet());
    return path;
  }

  Stage stage() {
    return stage;
  }

  Testbed testbed() {
    return stage.testbed();
  }

  /** Returns the publisher's private key. */
  Path keyFile() throws IOException {
    return testbed().publisher(Stage.PUBLISHER).keyFile();
  }

  /** Returns a file with the node-ids that the publisher trusts, one per line. */
  Path knownFile() throws IOException {
    Path file = testbed().state().resolve("known-nodes");
    Files.write(file, names.keySet());
    return file;
  }

  Bundle bundle() {
    return bundle;
  }

  List<String> nodes() {
    return nodes;
  }

  InetAddress address(String node, boolean v6) {
    return testbed().topology().node(node).address(v6).ip();
  }

  Route route(InetAddress to) {
    return new Route(to, BUDGET);
  }

  /**
   * Returns the headers of the module's SETUP: the bundle's URL over IPv4 or IPv6, and a filter for
   * keep-alives on UDP port 5060.
   */
  Map<String, String> headers(boolean v6, int ttl, String... more) {
    String host = address("publisher", v6).getHostAddress();
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("url", "http://" + (v6 ? "[" + host + "]" : host) + "/" + bundle.file());
    headers.put("ttl", Integer.toString(ttl));
    headers.put("filter-port", "5060");
    headers.put("filter-proto", "udp");
    for (int i = 0; i < more.length; i += 2) {
      headers.put(more[i], more[i + 1]);
    }
    return headers;
  }

  Reply setup(InetAddress to, Map<String, String> headers) throws IOException {
    return publisher.setup(bundle, route(to), headers);
  }

  Reply trigger(InetAddress to, InetAddress backTo, Map<String, String> headers)
      throws IOException {
    return publisher.trigger(bundle, route(to), backTo, headers);
  }

  Reply triggerRemove(InetAddress to, InetAddress backTo, Map<String, String> headers)
      throws IOException {
    return publisher.triggerRemove(route(to), backTo, headers);
  }

  /** Returns the ids of the nodes. */
  Set<String> ids() {
    return names.keySet();
  }

  Reply remove(String module, InetAddress to) throws IOException {
    return publisher.remove(module, route(to));
  }

  Reply probe(InetAddress to) throws IOException {
    return publisher.probe(route(to));
  }

  /**
   * Returns the stack in words: {@code a 200, b 200, c 200}. An entry that is not verified has a
   * mark.
   */
  String stack(Reply reply) {
    return String.join(", ", reply.nodes().stream().map(this::entry).toList());
  }

  private String entry(Entry entry) {
    String name = names.getOrDefault(entry.nodeId(), entry.nodeId());
    return name + " " + entry.status() + (entry.verified() ? "" : " " + entry.signer());
  }

  /**
   * Returns the text of {@link #stack} when these nodes, in this order, answered 200 and are
   * verified.
   */
  static String all200(List<String> nodes) {
    return String.join(", ", nodes.stream().map(node -> node + " 200").toList());
  }

  /**
   * Returns true if the path ended because a node did not answer before all wanted nodes had
   * answered.
   */
  boolean silentBefore(Reply reply, List<String> wanted) {
    List<String> answered = reply.nodes().stream().map(e -> names.get(e.nodeId())).toList();
    return reply.end().equals("no-answer") && !answered.containsAll(wanted);
  }

  JsonNode status(String node) throws IOException {
    try (NodeClient client = testbed().client(node)) {
      return client.status();
    }
  }

  /** Returns what GIST and sigio of a node have counted. Counters that are zero are left out. */
  String counted(String node) throws IOException {
    try (NodeClient client = testbed().client(node)) {
      JsonNode signaling = client.signaling();
      return String.join(
          ", ",
          Stream.of("gist", "sigio", "nslp")
              .flatMap(group -> counted(group, signaling.path(group)))
              .toList());
    }
  }

  private static Stream<String> counted(String group, JsonNode counters) {
    return counters.properties().stream()
        .filter(counter -> counter.getValue().asLong() != 0)
        .map(counter -> group + "." + counter.getKey() + " " + counter.getValue());
  }

  /** Returns the number of the publisher's modules that the node says it runs. */
  int running(String node) throws IOException {
    int running = 0;
    for (JsonNode container : status(node).path("containers")) {
      for (JsonNode module : container.path("modules")) {
        running += module.path("state").asText().equals("running") ? 1 : 0;
      }
    }
    return running;
  }

  /**
   * Returns the nodes that run the module, in path order: {@code a b c}. A number after a name
   * tells of more than one module.
   */
  String runningOn() throws IOException {
    List<String> found = new ArrayList<>();
    for (String node : nodes) {
      int running = running(node);
      if (running > 0) {
        found.add(node + (running > 1 ? "=" + running : ""));
      }
    }
    return found.isEmpty() ? "none" : String.join(" ", found);
  }

  /** Returns these nodes as {@link #runningOn} writes them. */
  String inOrder(List<String> some) {
    return some.isEmpty()
        ? "none"
        : String.join(" ", nodes.stream().filter(some::contains).toList());
  }

  /** Waits until the nodes look as wanted after their answer, and returns their last look. */
  String settled(String wanted, Waiting now) throws IOException {
    long end = System.nanoTime() + SOON.toNanos();
    String last = now.look();
    while (!last.equals(wanted) && System.nanoTime() < end) {
      Wait.pause(250);
      last = now.look();
    }
    return last;
  }

  /** Looks at the nodes. */
  interface Waiting {
    String look() throws IOException;
  }

  /**
   * Returns the nodes with a raw table that differs from the table before the first message: {@code
   * none} or names.
   */
  String rulesLeft() throws IOException {
    List<String> left = new ArrayList<>();
    for (String node : nodes) {
      if (!rulesNow(node).equals(rules.get(node))) {
        left.add(node);
      }
    }
    return left.isEmpty() ? "none" : String.join(" ", left);
  }

  private String rulesNow(String node) throws IOException {
    return testbed().run(node, "iptables-nft", "-t", "raw", "-S")
        + testbed().run(node, "ip6tables-nft", "-t", "raw", "-S");
  }

  /** Returns the node's audit log of its decisions, oldest first. */
  List<JsonNode> audit(String node) throws IOException {
    Path log = NodeDaemon.root(testbed(), node).resolve("var/log/netserv/audit.log");
    List<JsonNode> lines = new ArrayList<>();
    for (String line : Files.readAllLines(log)) {
      lines.add(JSON.readTree(line));
    }
    return lines;
  }

  /**
   * Returns the number of SETUPs that a node accepted more than once: signed bytes with two
   * acceptances.
   */
  int acceptedTwice(String node) throws IOException {
    Set<String> accepted = new HashSet<>();
    int twice = 0;
    for (JsonNode line : audit(node)) {
      boolean setup = line.path("method").asText().equals("SETUP");
      if (setup && line.path("status").asInt() == 202) {
        twice += accepted.add(line.path("sha256").asText()) ? 0 : 1;
      }
    }
    return twice;
  }

  /**
   * Returns how often the node has begun to install or reinstall the module since the node started.
   */
  int installed(String node) throws IOException {
    try (NodeClient client = testbed().client(node)) {
      return installed(client.why(Stage.PUBLISHER, MODULE).path("history"));
    } catch (IOException e) {
      return 0; // the node knows nothing of the module
    }
  }

  /**
   * Returns how often a module has begun to be installed.
   *
   * @param history of one module. A refresh, or a limit that is met, is an entry with the same
   *     state
   */
  static int installed(JsonNode history) {
    int installed = 0;
    String state = "";
    for (JsonNode event : history) {
      String next = event.path("state").asText();
      installed += !next.equals(state) && next.endsWith("installing") ? 1 : 0;
      state = next;
    }
    return installed;
  }

  /** Returns the error for a message that no node answered. */
  LabException silent(String message, Reply reply) {
    String first = nodes.get(0);
    return new LabException(
        message
            + ": no node answered: "
            + reply
            + "; what the first one logged:\n"
            + testbed().tail(first, "netserv", 20));
  }

  /**
   * Returns the last state of the module that the node remembers, or an empty string if it
   * remembers none.
   */
  String lastState(String node) throws IOException {
    try (NodeClient client = testbed().client(node)) {
      return client.why(Stage.PUBLISHER, MODULE).path("state").asText();
    } catch (IOException e) {
      return "";
    }
  }

  @Override
  public void close() throws IOException {
    publisher.close();
  }
}
