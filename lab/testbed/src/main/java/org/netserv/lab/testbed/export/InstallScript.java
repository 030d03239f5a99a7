// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.export;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.netserv.lab.testbed.topology.Address;
import org.netserv.lab.testbed.topology.Topology;
import org.netserv.lab.testbed.topology.Topology.Daemon;
import org.netserv.lab.testbed.topology.Topology.Node;

/**
 * A shell script that turns a machine of a slice into one node of a topology. It adds the addresses
 * that the testbed did not give, routes, sysctls, firewall and daemons. Its first part is the
 * resource {@code install.sh}, which describes the contents of the archive. The class writes one
 * function per node.
 *
 * <p>Interfaces have other names on a testbed, so the script finds them by their IPv4 address.
 */
public final class InstallScript {
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  private final Node node;
  private final Set<ExportedNetwork> networks;
  private final List<String> network = new ArrayList<>();
  private final List<String> daemons = new ArrayList<>();

  private InstallScript(Node node, Set<ExportedNetwork> networks) {
    this.node = node;
    this.networks = networks;
  }

  /** Returns the command line that a slice's machine executes after it has unpacked the archive. */
  static String command(String node) {
    return "sh " + SliceRequest.LOCAL + "/netserv-slice/install.sh " + node;
  }

  /**
   * Writes the script.
   *
   * @throws IllegalArgumentException when a node has an interface without an IPv4 address
   */
  public static String write(Topology topology) {
    StringBuilder text = new StringBuilder(Template.read());
    Set<ExportedNetwork> networks = networks(topology);
    for (Node node : topology.nodes().values()) {
      InstallScript script = new InstallScript(node, networks);
      script.network();
      script.daemons();
      function(text, "network_" + shellName(node), script.network);
      function(text, "daemons_" + shellName(node), script.daemons);
    }
    String names =
        topology.nodes().values().stream().map(Node::name).collect(Collectors.joining(" "));
    return text.append("\nmain " + quote(names) + "\n").toString();
  }

  private static Set<ExportedNetwork> networks(Topology topology) {
    Set<ExportedNetwork> networks = new LinkedHashSet<>();
    for (Node node : topology.nodes().values()) {
      node.interfaces().values().stream()
          .flatMap(List::stream)
          .forEach(address -> networks.add(ExportedNetwork.of(address)));
    }
    return networks;
  }

  private static void function(StringBuilder text, String name, List<String> lines) {
    text.append('\n').append(name).append("() {\n");
    (lines.isEmpty() ? List.of(":") : lines).forEach(line -> text.append(line).append('\n'));
    text.append("}\n");
  }

  private void network() {
    for (Map.Entry<String, List<Address>> entry : node.interfaces().entrySet()) {
      Address known =
          entry.getValue().stream()
              .filter(address -> !address.isV6())
              .findFirst()
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          node.name() + "/" + entry.getKey() + " has no IPv4 address"));
      network.add("%s=$(interface %s)".formatted(entry.getKey(), text(known)));
      for (Address address : entry.getValue()) {
        if (!address.equals(known)) {
          network.add("address \"$%s\" %s".formatted(entry.getKey(), text(address)));
        }
      }
    }
    if (node.forward()) {
      network.add("setting net.ipv4.ip_forward 1");
      network.add("setting net.ipv6.conf.all.forwarding 1");
    }
    node.sysctls()
        .forEach((key, value) -> network.add("setting " + sysctl(key) + " " + quote(value)));
    routes();
    node.masquerade()
        .forEach(
            out -> network.add("firewall -t nat -A POSTROUTING -o \"$" + out + "\" -j MASQUERADE"));
    node.firewall().forEach(rule -> network.add("firewall " + words(rule)));
  }

  /**
   * Adds the routes. A machine of a testbed keeps its own default route, which leads to the
   * experimenter. So a default route of the topology becomes a route to each of the topology's
   * networks that has no other route.
   */
  private void routes() {
    for (String route : node.routes()) {
      String[] words = route.split(" ", -1);
      boolean v6 = words[2].indexOf(':') >= 0;
      if (!words[0].equals("default")) {
        network.add("route " + route);
        continue;
      }
      for (ExportedNetwork prefix : networks) {
        if (prefix.isV6() == v6 && !known(prefix)) {
          network.add("route " + prefix + " via " + words[2]);
        }
      }
    }
  }

  /** Returns true if an interface or a route of the node's own leads to the network. */
  private boolean known(ExportedNetwork prefix) {
    return node.interfaces().values().stream()
            .flatMap(List::stream)
            .anyMatch(address -> ExportedNetwork.of(address).equals(prefix))
        || node.routes().stream()
            .map(route -> Address.parse(route.split(" ", -1)[0]))
            .anyMatch(to -> to.isPresent() && ExportedNetwork.of(to.get()).equals(prefix));
  }

  private static String text(Address address) {
    return address.ip().getHostAddress() + "/" + address.length();
  }

  /**
   * Returns a sysctl's key for the shell. The key may name an interface: {@code
   * net.ipv4.conf.west.rp_filter}.
   */
  private String sysctl(String key) {
    String[] parts = key.split("\\.", -1);
    for (int i = 0; i < parts.length; i++) {
      if (node.interfaces().containsKey(parts[i])) {
        parts[i] = "$" + parts[i];
      }
    }
    return "\"" + String.join("/", parts) + "\"";
  }

  private String words(String rule) {
    return List.of(rule.trim().split(" +", -1)).stream()
        .map(word -> node.interfaces().containsKey(word) ? "\"$" + word + "\"" : quote(word))
        .collect(Collectors.joining(" "));
  }

  private void daemons() {
    for (Daemon daemon : node.daemons()) {
      ObjectNode options = daemon.options();
      switch (daemon.kind()) {
        case "files" -> daemons.add("files " + options.path("port").asInt(80));
        case "kamailio" -> daemons.add("kamailio " + options.path("port").asInt(5060));
        case "command" -> daemons.add(command(options));
        case "netserv" -> netserv(options);
        default -> throw new IllegalStateException(daemon.kind());
      }
    }
  }

  private static String command(ObjectNode options) {
    StringBuilder line = new StringBuilder("start " + quote(options.path("name").asText()));
    options.path("run").forEach(word -> line.append(' ').append(quote(word.asText())));
    return line.toString();
  }

  private void netserv(ObjectNode options) {
    daemons.add("node_yaml <<'END'");
    daemons.add(options.path("config") instanceof ObjectNode config ? yaml(config) : "{}");
    daemons.add("END");
    int index = 0;
    for (Map.Entry<String, JsonNode> entry : options.path("publishers").properties()) {
      ObjectNode policy = YAML.createObjectNode().put("index", index++);
      if (entry.getValue() instanceof ObjectNode more) {
        policy.setAll(more);
      }
      daemons.add("publisher " + quote(entry.getKey()) + " <<'END'");
      daemons.add(yaml(policy));
      daemons.add("END");
    }
    daemons.add("netserv");
  }

  private static String yaml(ObjectNode tree) {
    try {
      return YAML.writeValueAsString(tree).replaceFirst("^---\\n?", "").stripTrailing();
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of plain nodes always prints", e);
    }
  }

  /** Returns a node's name as part of a function's name. */
  private static String shellName(Node node) {
    return node.name().replace('-', '_');
  }

  static String quote(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }
}
