// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.tool.FileServer;
import org.netserv.lab.testbed.topology.Address;
import org.netserv.lab.testbed.topology.Topology;
import org.netserv.lab.testbed.topology.Topology.Link;
import org.netserv.lab.testbed.topology.Topology.Node;

/** Starts the programs of a topology and waits until each of them can be used. */
final class Daemons {
  private static final Duration START = Duration.ofSeconds(20);

  private final Testbed testbed;

  Daemons(Testbed testbed) {
    this.testbed = testbed;
  }

  /** Starts one relay per impaired link, in the namespace in the middle of the link. */
  void relays() throws IOException {
    List<Link> links = testbed.topology().links();
    for (int i = 0; i < links.size(); i++) {
      if (links.get(i).impairment().relayed()) {
        List<String> command = new ArrayList<>();
        command.add(LabHome.dist().resolve("bin/lab-relay").toString());
        command.addAll(links.get(i).impairment().options());
        command.addAll(List.of("left", "right"));
        String node = Network.relayNode(i);
        Process process = testbed.spawn(node, "relay", command);
        await(process, node, "relay", () -> testbed.tail(node, "relay", 5).contains("ready"));
      }
    }
  }

  void start(Node node, Topology.Daemon daemon) throws IOException {
    switch (daemon.kind()) {
      case "kamailio" -> kamailio(node, daemon.options());
      case "files" -> files(node, daemon.options().path("port").asInt(80));
      case "command" -> command(node, daemon.options());
      default -> throw new IllegalStateException(daemon.kind());
    }
  }

  /**
   * Starts a SIP server on all addresses of the node. Its files and sockets are beside the logs.
   */
  private void kamailio(Node node, JsonNode options) throws IOException {
    int port = options.path("port").asInt(5060);
    String name = options.path("config").asText("kamailio.cfg");
    Path dir = Files.createDirectories(testbed.state().resolve(node.name() + "-kamailio"));
    Files.copy(
        LabHome.file("kamailio/netserv.cfg"),
        dir.resolve("netserv.cfg"),
        StandardCopyOption.REPLACE_EXISTING);
    String listen =
        node.interfaces().values().stream()
            .flatMap(List::stream)
            .map(address -> "listen=udp:" + host(address) + ":" + port)
            .collect(Collectors.joining("\n"));
    String config = Files.readString(LabHome.file("kamailio/" + name));
    Path file = dir.resolve("kamailio.cfg");
    Files.writeString(file, config.replace("@LISTEN@", listen).replace("@DIR@", dir.toString()));
    List<String> command = KamailioCommand.of(file, dir, 4);
    Process process = testbed.spawn(node.name(), "kamailio", command);
    await(process, node.name(), "kamailio", () -> bound(process, "udp", port));
  }

  private static String host(Address address) {
    return address.isV6()
        ? "[" + address.ip().getHostAddress() + "]"
        : address.ip().getHostAddress();
  }

  /** Starts the lab's download server. */
  private void files(Node node, int port) throws IOException {
    Path directory = testbed.state().resolve("bundles");
    Process process = testbed.spawnTool(node.name(), "files", FileServer.class, port, directory);
    await(process, node.name(), "files", () -> bound(process, "tcp", port));
  }

  private void command(Node node, JsonNode options) throws IOException {
    List<String> words = new ArrayList<>();
    options.path("run").forEach(word -> words.add(word.asText()));
    testbed.spawn(node.name(), options.path("name").asText(), words);
  }

  /** Returns true if a port is bound (UDP) or listened on (TCP) in the namespace of the process. */
  static boolean bound(Process process, String protocol, int port) throws IOException {
    String wanted = ":%04X".formatted(port);
    String remote = ":0000";
    for (String suffix : List.of("", "6")) {
      Path table = Path.of("/proc/" + process.pid() + "/net/" + protocol + suffix);
      for (String line : Files.readAllLines(table)) {
        String[] fields = line.trim().split("\\s+", -1);
        if (fields.length > 2 && fields[1].endsWith(wanted) && fields[2].endsWith(remote)) {
          return true;
        }
      }
    }
    return false;
  }

  private void await(Process process, String node, String name, Wait.Condition ready)
      throws IOException {
    try {
      Wait.until(
          name + " on " + node + " to be ready",
          START,
          () -> {
            if (!process.isAlive()) {
              throw new LabException(
                  name + " on " + node + " ended with status " + process.exitValue());
            }
            return ready.holds();
          });
    } catch (IOException e) {
      throw new LabException(e.getMessage() + "; its log:\n" + testbed.tail(node, name, 15));
    }
  }
}
