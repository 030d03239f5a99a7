// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.topology;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.netserv.lab.testbed.topology.Topology.Daemon;
import org.netserv.lab.testbed.topology.Topology.End;
import org.netserv.lab.testbed.topology.Topology.Link;
import org.netserv.lab.testbed.topology.Topology.Node;

/** Reads and checks a topology file. */
public final class TopologyReader {
  /** Name of a lab. Longer names would make socket paths and interface names too long. */
  private static final Pattern LAB = Pattern.compile("[a-z][a-z0-9-]{0,19}");

  private static final Pattern NODE = Pattern.compile("[a-z][a-z0-9-]{0,14}");
  private static final Pattern INTERFACE = Pattern.compile("[a-z][a-z0-9]{0,14}");
  private static final Pattern SYSCTL = Pattern.compile("net(\\.[a-z0-9_-]+)+");

  private static final String EXTENDS = "extends";

  private static final Map<String, Set<String>> DAEMONS =
      Map.of(
          "kamailio", Set.of("port", "config"),
          "files", Set.of("port"),
          "command", Set.of("name", "run"),
          "netserv", Set.of("config", "publishers", "lacking", "processor"));

  private static final ObjectMapper YAML =
      new ObjectMapper(
          YAMLFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build());

  private TopologyReader() {}

  /** Reads a file. A file that {@code extends} another file beside it is laid over that file. */
  public static Topology read(Path file) throws IOException, TopologyException {
    try {
      JsonNode root = tree(Files.readString(file));
      return root.has(EXTENDS) ? check(extended(file, root)) : check(root);
    } catch (TopologyException e) {
      throw new TopologyException(file + ": " + e.getMessage(), e);
    }
  }

  public static Topology parse(String yaml) throws TopologyException {
    return check(tree(yaml));
  }

  private static ObjectNode extended(Path file, JsonNode root)
      throws IOException, TopologyException {
    Fields differences = Fields.of("", root);
    String name = differences.text(EXTENDS);
    if (!LAB.matcher(name).matches()) {
      throw differences.error(EXTENDS, "'" + name + "' is not " + LAB.pattern());
    }
    Path base = file.resolveSibling(name + ".yaml");
    if (!Files.exists(base)) {
      throw differences.error(EXTENDS, "there is no " + base);
    }
    JsonNode below = tree(Files.readString(base));
    if (below.has(EXTENDS)) {
      throw differences.error(EXTENDS, base + " extends another file itself");
    }
    ObjectNode rest = differences.object().deepCopy();
    rest.remove(EXTENDS);
    return Overlay.over(Fields.of("", below).object(), rest);
  }

  private static JsonNode tree(String yaml) throws TopologyException {
    try {
      return YAML.readTree(yaml);
    } catch (JsonProcessingException e) {
      int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
      throw new TopologyException("line " + line + ": " + e.getOriginalMessage(), e);
    }
  }

  private static Topology check(JsonNode root) throws TopologyException {
    Fields top = Fields.of("", root).only("name", "nodes", "links");
    String name = top.text("name");
    if (!LAB.matcher(name).matches()) {
      throw top.error("name", "'" + name + "' is not " + LAB.pattern());
    }
    Map<String, Node> nodes = new LinkedHashMap<>();
    Fields list = top.fields("nodes");
    for (String node : list.keys()) {
      if (!NODE.matcher(node).matches()) {
        throw list.error(node, "a node's name is " + NODE.pattern());
      }
      nodes.put(node, node(node, list.fields(node)));
    }
    if (nodes.isEmpty()) {
      throw top.error("nodes", "a topology has at least one node");
    }
    return new Topology(name, nodes, links(top, nodes));
  }

  private static Node node(String name, Fields fields) throws TopologyException {
    fields.only("interfaces", "routes", "sysctls", "forward", "masquerade", "firewall", "daemons");
    Map<String, List<Address>> interfaces = interfaces(fields.fields("interfaces"));
    List<String> masquerade = fields.texts("masquerade");
    for (String out : masquerade) {
      if (!interfaces.containsKey(out)) {
        throw fields.error("masquerade", name + " has no interface " + out);
      }
    }
    List<String> firewall = fields.texts("firewall");
    for (String rule : firewall) {
      if (!rule.startsWith("-")) {
        throw fields.error("firewall", "'" + rule + "' does not begin with an iptables option");
      }
    }
    return new Node(
        name,
        interfaces,
        routes(fields),
        sysctls(fields.fields("sysctls")),
        fields.flag("forward"),
        masquerade,
        firewall,
        daemons(fields));
  }

  private static Map<String, List<Address>> interfaces(Fields fields) throws TopologyException {
    Map<String, List<Address>> interfaces = new LinkedHashMap<>();
    for (String name : fields.keys()) {
      if (!INTERFACE.matcher(name).matches()) {
        throw fields.error(name, "an interface's name is " + INTERFACE.pattern());
      }
      List<Address> addresses = new ArrayList<>();
      for (String text : fields.texts(name)) {
        addresses.add(
            Address.parse(text)
                .orElseThrow(
                    () -> fields.error(name, "'" + text + "' is not an address with its length")));
      }
      interfaces.put(name, addresses);
    }
    return interfaces;
  }

  private static List<String> routes(Fields fields) throws TopologyException {
    List<String> routes = fields.texts("routes");
    for (String route : routes) {
      String[] words = route.split(" ", -1);
      boolean right =
          words.length == 3
              && words[1].equals("via")
              && Address.ip(words[2]).isPresent()
              && (words[0].equals("default") || Address.parse(words[0]).isPresent());
      if (!right) {
        throw fields.error("routes", "'" + route + "' is not 'PREFIX|default via ADDRESS'");
      }
    }
    return routes;
  }

  private static Map<String, String> sysctls(Fields fields) throws TopologyException {
    Map<String, String> sysctls = new LinkedHashMap<>();
    for (String key : fields.keys()) {
      if (!SYSCTL.matcher(key).matches()) {
        throw fields.error(key, "only sysctls below net., which belong to a namespace");
      }
      sysctls.put(key, fields.text(key));
    }
    return sysctls;
  }

  private static List<Daemon> daemons(Fields node) throws TopologyException {
    List<Daemon> daemons = new ArrayList<>();
    for (JsonNode item : node.list("daemons")) {
      String place = "daemons[" + daemons.size() + "]";
      Fields one = Fields.of(node.path(place), item);
      if (one.keys().size() != 1 || !DAEMONS.containsKey(one.keys().get(0))) {
        throw node.error(place, "expected one of " + DAEMONS.keySet().stream().sorted().toList());
      }
      String kind = one.keys().get(0);
      Fields options = one.fields(kind).only(DAEMONS.get(kind).toArray(String[]::new));
      options.integer("port", 1, 65535, 1);
      if (options.object().has("config") && kind.equals("kamailio")) {
        options.text("config");
      }
      if (kind.equals("command")) {
        options.text("name");
        options.texts("run");
      }
      ObjectNode copy = options.object().deepCopy();
      daemons.add(new Daemon(kind, copy));
    }
    return daemons;
  }

  private static List<Link> links(Fields top, Map<String, Node> nodes) throws TopologyException {
    List<Link> links = new ArrayList<>();
    Set<End> used = new HashSet<>();
    for (JsonNode item : top.list("links")) {
      Fields fields = Fields.of("links[" + links.size() + "]", item);
      fields.only("ends", "mtu", "impairment");
      List<String> ends = fields.texts("ends");
      if (ends.size() != 2) {
        throw fields.error("ends", "a link has two ends");
      }
      End a = end(fields, ends.get(0), nodes);
      End b = end(fields, ends.get(1), nodes);
      for (End end : List.of(a, b)) {
        if (!used.add(end)) {
          throw fields.error("ends", end + " is used twice");
        }
      }
      int mtu = (int) fields.integer("mtu", 1280, 65535, 1500);
      links.add(new Link(a, b, mtu, impairment(fields.fields("impairment"))));
    }
    for (Node node : nodes.values()) {
      for (String name : node.interfaces().keySet()) {
        if (!used.contains(new End(node.name(), name))) {
          throw new TopologyException(
              "nodes." + node.name() + ".interfaces." + name + ": no link ends here");
        }
      }
    }
    return links;
  }

  private static End end(Fields fields, String text, Map<String, Node> nodes)
      throws TopologyException {
    String[] parts = text.split("/", -1);
    if (parts.length != 2) {
      throw fields.error("ends", "'" + text + "' is not NODE/INTERFACE");
    }
    Node node = nodes.get(parts[0]);
    if (node == null) {
      throw fields.error("ends", "there is no node '" + parts[0] + "'");
    }
    if (!node.interfaces().containsKey(parts[1])) {
      throw fields.error("ends", parts[0] + " has no interface '" + parts[1] + "'");
    }
    return new End(parts[0], parts[1]);
  }

  private static Impairment impairment(Fields fields) throws TopologyException {
    fields.only("drop-every", "loss", "delay", "jitter", "reorder", "duplicate", "seed");
    return new Impairment(
        (int) fields.integer("drop-every", 2, 1_000_000, 0),
        fields.number("loss", 0, 1, 0),
        fields.number("delay", 0, 60_000, 0),
        fields.number("jitter", 0, 60_000, 0),
        fields.number("reorder", 0, 1, 0),
        fields.number("duplicate", 0, 1, 0),
        fields.integer("seed", 0, Long.MAX_VALUE, 1));
  }
}
