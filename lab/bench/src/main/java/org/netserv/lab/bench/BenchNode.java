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

/** The measured node: the real supervisor and its daemons, seen from outside. */
final class BenchNode {
  static final String NAME = "node";

  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final Duration START = Duration.ofSeconds(60);
  private static final Duration COLLECTION = Duration.ofSeconds(60);
  private static final int COLLECTIONS = 4;
  private static final int STATES_MAX = 1_000_000;

  /**
   * A limit above every rate of the bench, because the bench does not measure the limits on
   * Queries.
   */
  private static final int QUERIES_MAX = 1_000_000;

  /**
   * JVM options that a node does not have by default. They give room for half a million states,
   * give memory back after a collection, and run a full collection at each SIGQUIT. The bench
   * cannot attach to the node's JVMs, because their root directory has no place for the attach
   * socket.
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

  /** The first line of a class histogram. The log has no place for all of it. */
  private static final Pattern HISTOGRAM = Pattern.compile("^ num +#instances", Pattern.MULTILINE);

  /**
   * The supervisor takes 200 lines a second into a log; a dump has less than 600 before its
   * histogram.
   */
  private static final long LOG_TAKES_DUMP = 3_000;

  private final Testbed testbed;
  private final NodeProcesses processes;

  private BenchNode(Testbed testbed) {
    this.testbed = testbed;
    this.processes = NodeProcesses.of(testbed, NAME);
  }

  /**
   * Starts the node.
   *
   * @param rate GIST messages that the node may send in a second
   */
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

  /**
   * Restarts nsis-gist with a new limit. It kills the process, and the supervisor starts it again.
   *
   * @param rate GIST messages that the node may send in a second
   */
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
    Wait.pause(2500); // by now nsis-gist has also found sigio
  }

  private JsonNode signaling(String group) throws IOException {
    try (NodeClient client = testbed.client(NAME)) {
      return client.signaling().path(group);
    }
  }

  /**
   * Returns the packets and messages that GIST and sigio have dropped or passed on so far, by
   * counter.
   */
  Map<String, Long> dropped() throws IOException {
    Map<String, Long> all = new TreeMap<>();
    for (String group : List.of("gist", "sigio")) {
      JsonNode counters = signaling(group);
      DROPS.forEach(name -> all.merge(name, counters.path(name).asLong(), Long::sum));
    }
    return all;
  }

  /** Returns a counter or gauge of GIST, at most two seconds old. */
  long counter(String name) throws IOException {
    return signaling("gist").path(name).asLong();
  }

  /** Returns the resident memory of nsis-gist in KB, after several full collections. */
  long residentKb() throws IOException {
    for (int i = 0; i < COLLECTIONS; i++) {
      collect(); // a collection gives back the memory that the previous one emptied
      Wait.pause(LOG_TAKES_DUMP);
    }
    return processes.residentKb("nsis-gist");
  }

  /**
   * Runs one full collection in nsis-gist. It is done when the class histogram begins in the log.
   */
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
    return HISTOGRAM.matcher(log).results().count();
  }
}
