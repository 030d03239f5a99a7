// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.Wait;

/**
 * Open UDP sockets at the addresses that forged packets carry as their source. One is in another
 * publisher's container, and its policy does not list it. One is on a host of the management, and
 * one on the node.
 */
final class Victims implements AutoCloseable {
  static final int PORT = 7000;

  private static final String PUBLISHER = "other";
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String COUNT = "received=";

  /** The sockets that no turned packet may reach. */
  enum Kind {
    CONTAINER,
    MANAGEMENT,
    NODE
  }

  /**
   * A victim.
   *
   * @param host the node of the topology where its socket is
   * @param log the name of its log
   * @param v4 its IPv4 address
   * @param v6 its IPv6 address
   */
  private record Victim(String host, String log, String v4, String v6) {}

  private final Map<Kind, Victim> victims = new EnumMap<>(Kind.class);
  private final List<ProcessHandle> sinks = new ArrayList<>();
  private final Stage stage;
  private final Testbed testbed;
  private final String node;
  private long inside;

  Victims(Stage stage, String node) throws IOException {
    this.stage = stage;
    testbed = stage.testbed();
    this.node = node;
    put(Kind.MANAGEMENT, "office", "203.0.113.10", "2001:db8:4::10", List.of());
    put(Kind.NODE, node, "192.0.2.1", "2001:db8:1::1", List.of());
    again();
  }

  /** Opens the container's socket anew, because the container is another one now. */
  void again() throws IOException {
    Wait.until("the container of " + PUBLISHER, PATIENCE, () -> pid() > 0);
    inside = pid(); // the spawner is stopped later
    List<String> enter = List.of("nsenter", "-t", Long.toString(inside), "-n");
    put(Kind.CONTAINER, node, address(enter, "inet"), address(enter, "inet6"), enter);
  }

  /** Ends the sinks. Those in a container's network are in none of the testbed's namespaces. */
  @Override
  public void close() {
    sinks.forEach(ProcessHandle::destroy);
  }

  /** Removes the table in the container's own network. */
  void unfence() throws IOException {
    testbed.run(node, "nsenter", "-t", Long.toString(inside), "-n", "nft", "flush", "ruleset");
  }

  private void put(Kind kind, String host, String v4, String v6, List<String> inside)
      throws IOException {
    String log = stage.unique("sink");
    List<String> command = new ArrayList<>(inside);
    command.addAll(List.of(SpoofedTurn.udp(), "sink", Integer.toString(PORT)));
    Tool sink = Tool.start(testbed, host, log, command);
    sinks.add(sink.process());
    sink.await("ready");
    victims.put(kind, new Victim(host, log, v4, v6));
  }

  private long pid() throws IOException {
    try (NodeClient client = testbed.client(node)) {
      for (JsonNode container : client.status().path("containers")) {
        if (container.path("publisher").asText().equals(PUBLISHER)) {
          return container.path("pid").asLong();
        }
      }
    }
    return 0;
  }

  private String address(List<String> inside, String family) throws IOException {
    List<String> command = new ArrayList<>(inside);
    command.addAll(List.of("ip", "-j", "addr", "show", "scope", "global"));
    JsonNode list = new ObjectMapper().readTree(testbed.run(node, command.toArray(String[]::new)));
    for (JsonNode link : list) {
      for (JsonNode address : link.path("addr_info")) {
        if (address.path("family").asText().equals(family)) {
          return address.path("local").asText();
        }
      }
    }
    throw new LabException("the container has no address: " + list);
  }

  String address(Kind kind, boolean v6) {
    Victim victim = victims.get(kind);
    return v6 ? victim.v6() : victim.v4();
  }

  /** Returns the datagrams that each victim has received. */
  Map<Kind, Long> received() throws IOException {
    Map<Kind, Long> counts = new EnumMap<>(Kind.class);
    for (Map.Entry<Kind, Victim> entry : victims.entrySet()) {
      Victim victim = entry.getValue();
      long count =
          Files.readAllLines(testbed.log(victim.host(), victim.log())).stream()
              .filter(line -> line.startsWith(COUNT))
              .mapToLong(line -> Long.parseLong(line.substring(COUNT.length())))
              .max()
              .orElse(0);
      counts.put(entry.getKey(), count);
    }
    return counts;
  }

  /** Waits until each victim has received more, or for the given time. */
  void await(Map<Kind, Long> before, Duration most) throws IOException {
    try {
      Wait.until(
          "each victim to be reached",
          most,
          () -> {
            Map<Kind, Long> now = received();
            return now.keySet().stream().allMatch(kind -> now.get(kind) > before.get(kind));
          });
    } catch (LabException e) {
      stage.out().println("  " + e.getMessage());
    }
  }
}
