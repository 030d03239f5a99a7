// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.Shell;
import org.netserv.lab.testbed.base.Wait;

/** The node that is measured: the real supervisor and what it starts, seen from outside. */
final class BenchNode {
  static final String NAME = "node";

  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final Duration START = Duration.ofSeconds(60);
  private static final Duration COLLECTION = Duration.ofSeconds(60);
  private static final int COLLECTIONS = 4;
  private static final int STATES_MAX = 1_000_000;

  /** More than anybody sends: how many are looked at is not what is measured. */
  private static final int QUERIES_MAX = 1_000_000;

  /**
   * What a node has not by itself: room for half a million states, memory that is given back after
   * a collection, and a full collection with each SIGQUIT. (No attaching: the node's JVMs see a
   * root directory that has no place for that.)
   */
  private static final List<String> JVM =
      List.of(
          "-Xmx1g",
          "-XX:MinHeapFreeRatio=5",
          "-XX:MaxHeapFreeRatio=10",
          "-XX:+PrintClassHistogram");

  private static final List<String> DROPS =
      List.of(
          "dropped-bad-cookie",
          "forwarded-overload",
          "lost",
          "overflow",
          "overrun",
          "passed-rate-limit",
          "rate-limited",
          "send-failed",
          "send-overflow",
          "timed-out",
          "unsent");

  private static final Pattern HISTOGRAM_END =
      Pattern.compile("^Total +\\d+ +\\d+", Pattern.MULTILINE);

  private final Testbed testbed;
  private final NodeProcesses processes;

  private BenchNode(Testbed testbed) {
    this.testbed = testbed;
    this.processes = NodeProcesses.of(testbed, NAME);
  }

  /** Starts the node; its GIST may send so many messages a second. */
  static BenchNode start(Testbed testbed, int rate) throws IOException {
    ObjectNode options = YAML.createObjectNode();
    options.set("config", config(rate));
    NodeDaemon.start(testbed, testbed.topology().node(NAME), options, JVM).await();
    BenchNode node = new BenchNode(testbed);
    node.awaitSignaling(0);
    return node;
  }

  private static ObjectNode config(int rate) {
    ObjectNode config = YAML.createObjectNode();
    config
        .putObject("signaling")
        .put("messages-per-second", rate)
        .put("queries-per-second", QUERIES_MAX)
        .put("hop-per-minute", QUERIES_MAX)
        .put("publisher-per-minute", QUERIES_MAX)
        .put("states", STATES_MAX);
    return config;
  }

  /** Kills nsis-gist: the supervisor starts it again, and it reads the new number. */
  void restart(int rate) throws IOException {
    NodeDaemon.writePolicy(testbed, NAME, config(rate));
    long former = processes.pid("nsis-gist");
    processes.kill("nsis-gist");
    awaitSignaling(former);
  }

  private void awaitSignaling(long notPid) throws IOException {
    Wait.until(
        "nsis-gist to answer",
        START,
        () -> {
          try {
            return processes.pid("nsis-gist") != notPid
                && signaling("gist").path("states-responding").isNumber()
                && counter("handshake-responded") == 0;
          } catch (IOException e) {
            return false;
          }
        });
    Wait.pause(2500); // by now it has also found sigio
  }

  private JsonNode signaling(String group) throws IOException {
    try (NodeClient client = testbed.client(NAME)) {
      return client.signaling().path(group);
    }
  }

  /** What the node had to drop, or let pass, so far, by name; in GIST and in sigio. */
  Map<String, Long> dropped() throws IOException {
    Map<String, Long> all = new TreeMap<>();
    for (String group : List.of("gist", "sigio")) {
      JsonNode counters = signaling(group);
      DROPS.forEach(name -> all.merge(name, counters.path(name).asLong(), Long::sum));
    }
    return all;
  }

  /** A counter or gauge of GIST, at most two seconds old. */
  long counter(String name) throws IOException {
    return signaling("gist").path(name).asLong();
  }

  /** Resident memory of nsis-gist in KB, after a full collection. */
  long residentKb() throws IOException {
    for (int i = 0; i < COLLECTIONS; i++) {
      collect(); // what one finds empty the next gives back
      Wait.pause(500);
    }
    return processes.residentKb("nsis-gist");
  }

  /** The class histogram in the log tells that the collection before it is done. */
  private void collect() throws IOException {
    long before = histograms();
    Shell.run("kill", "-QUIT", Long.toString(processes.pid("nsis-gist")));
    Wait.until("a full collection", COLLECTION, () -> histograms() > before);
  }

  private Path log() {
    return NodeDaemon.root(testbed, NAME).resolve("var/log/netserv/nsis-gist.log");
  }

  private long histograms() throws IOException {
    String log = Files.readString(log(), StandardCharsets.ISO_8859_1);
    return HISTOGRAM_END.matcher(log).results().count();
  }
}
