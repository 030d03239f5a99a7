// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.netserv.lab.testbed.PathPublisher.Entry;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Namespaces;
import org.netserv.lab.testbed.export.InstallScript;
import org.netserv.lab.testbed.export.SliceRequest;
import org.netserv.lab.testbed.topology.Address;
import org.netserv.lab.testbed.topology.Revealed;
import org.netserv.lab.testbed.topology.SvgGraph;
import org.netserv.lab.testbed.topology.TextGraph;
import org.netserv.lab.testbed.topology.Topology;
import org.netserv.lab.testbed.topology.TopologyException;
import org.netserv.lab.testbed.topology.TopologyReader;

/**
 * The testbeds of this machine, as the command line sees them. Exit statuses: 0 done, 1 refused.
 */
public final class Lab {
  private Lab() {}

  /** Makes the testbed of a topology file. The testbed stays until {@link #down}. */
  public static int up(Path file, PrintStream out) throws IOException {
    try {
      Topology topology = TopologyReader.read(file);
      out.println("lab " + topology.name() + ":");
      Testbed.up(topology, out);
      out.println("lab " + topology.name() + " is up; logs in " + LabHome.state(topology.name()));
      return 0;
    } catch (TopologyException | LabException e) {
      out.println(e.getMessage());
      return 1;
    }
  }

  /** Takes a testbed away. Returns 0 also if there was none. */
  public static int down(String name, PrintStream out) throws IOException {
    try {
      Testbed.requireRoot();
      out.println("lab " + name + (Testbed.down(name) ? " is down" : " was not up"));
      return 0;
    } catch (LabException e) {
      out.println(e.getMessage());
      return 1;
    }
  }

  /** Returns the names of the testbeds that are up. */
  public static List<String> list() throws IOException {
    return Namespaces.labs();
  }

  /** Runs a program inside a node with this terminal, and returns its exit status. */
  public static int exec(String lab, String node, List<String> program)
      throws IOException, InterruptedException {
    Testbed.requireRoot();
    if (!Files.exists(Namespaces.path(lab, node))) {
      throw new LabException("no node " + node + " in a lab " + lab + " that is up");
    }
    List<String> command = new ArrayList<>(Namespaces.enter(lab, node, program));
    return new ProcessBuilder(command).inheritIO().start().waitFor();
  }

  /**
   * Describes a topology for programs: its nodes with interfaces, addresses and daemons, and its
   * links.
   */
  public static ObjectNode describe(String which) throws IOException {
    try {
      Topology topology = TopologyReader.read(file(which));
      ObjectNode document = JsonNodeFactory.instance.objectNode().put("lab", topology.name());
      ObjectNode nodes = document.putObject("nodes");
      for (Topology.Node node : topology.nodes().values()) {
        ObjectNode described = nodes.putObject(node.name());
        ObjectNode interfaces = described.putObject("interfaces");
        node.interfaces()
            .forEach(
                (name, addresses) -> {
                  ArrayNode list = interfaces.putArray(name);
                  addresses.forEach(address -> list.add(address.toString()));
                });
        ArrayNode daemons = described.putArray("daemons");
        node.daemons().forEach(daemon -> daemons.add(daemon.kind()));
      }
      ArrayNode links = document.putArray("links");
      topology
          .links()
          .forEach(link -> links.addArray().add(link.a().toString()).add(link.b().toString()));
      return document;
    } catch (TopologyException e) {
      throw new LabException(e.getMessage());
    }
  }

  /**
   * Writes a topology as a request for a slice of a testbed, {@code NAME.rspec}, and the script
   * that its machines run, {@code install.sh}.
   *
   * @param archive URL of the archive that the script describes, for the machines
   * @param into an existing directory
   */
  public static int export(Path file, String archive, Path into, PrintStream out)
      throws IOException {
    try {
      Topology topology = TopologyReader.read(file);
      Path request = into.resolve(topology.name() + ".rspec");
      Path script = into.resolve("install.sh");
      Files.writeString(script, InstallScript.write(topology));
      Files.writeString(request, SliceRequest.write(topology, archive));
      out.println("written: " + request + ", " + script);
      SliceRequest.lost(topology).forEach(lost -> out.println("not in the request: " + lost));
      return 0;
    } catch (TopologyException | IllegalArgumentException e) {
      out.println(e.getMessage());
      return 1;
    }
  }

  /**
   * Draws a topology.
   *
   * @param name a file, or the name of one of the lab's own topologies
   * @param path to be drawn on it; null = none
   * @param svg file for an SVG; null: text to {@code out}
   */
  public static int graph(String name, Probe path, Path svg, PrintStream out) throws IOException {
    try {
      Topology topology = TopologyReader.read(file(name));
      Revealed revealed = path == null ? null : path.reveal(topology);
      if (svg == null) {
        out.print(TextGraph.draw(topology, revealed));
      } else {
        Files.writeString(svg, SvgGraph.draw(topology, revealed));
        out.println("written: " + svg);
      }
      return 0;
    } catch (TopologyException | LabException e) {
      out.println(e.getMessage());
      return 1;
    }
  }

  private static Path file(String name) {
    Path own = LabHome.file("topologies").resolve(name + ".yaml");
    return name.matches("[a-z0-9-]+") && Files.exists(own) ? own : Path.of(name);
  }

  /**
   * A PROBE by a stranger inside a lab that is up.
   *
   * @param from the node that asks; null = the topology's first
   * @param to a node or an address; null = the outside address of the node {@code user}
   */
  public record Probe(String from, String to) {
    private static final int SECONDS = 20;

    Revealed reveal(Topology topology) throws IOException {
      Testbed.requireRoot();
      String asks = from != null ? from : topology.nodes().keySet().iterator().next();
      if (!Files.exists(Namespaces.path(topology.name(), asks))) {
        throw new LabException("no node " + asks + " in a lab " + topology.name() + " that is up");
      }
      InetAddress destination = destination(topology);
      try (PathPublisher stranger = PathPublisher.stranger(topology.name(), asks)) {
        var reply = stranger.probe(new PathPublisher.Route(destination, SECONDS));
        List<String> addresses = reply.nodes().stream().map(Entry::address).toList();
        return Revealed.of(topology, asks, addresses, destination, reply.end());
      }
    }

    private InetAddress destination(Topology topology) {
      if (to != null && Address.ip(to).isPresent()) {
        return Address.ip(to).get();
      }
      return topology.outside(topology.node(to != null ? to : "user"));
    }
  }
}
