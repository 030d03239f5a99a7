// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Shell;
import org.netserv.lab.testbed.base.Wait;

/**
 * Checks that packets go up on a processor of their own. They must go up in full batches if they
 * gathered while the container was not ready for them. The check runs on any machine and through
 * the whole node. At the end the host must end by itself.
 */
public final class Upcalls implements Scenario {
  /** Packets that fit into the ring, in full batches. */
  private static final int GATHERED = 640;

  private static final int ROUNDS = 3;

  /** Least packets per upcall, of 64. An upcall now and then is for other things than packets. */
  private static final int FULL = 60;

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Processor that is for packets alone, by the topology. */
  private static final int PROCESSOR = 1;

  private static final int SIGINT = 2;
  private static final int SIGTERM = 15;

  private static final String KEEP_ALIVE =
      """
      NOTIFY sip:192.0.2.10:5060 SIP/2.0\r
      Via: SIP/2.0/UDP 10.0.0.10:4000;branch=z9hG4bKflood;rport\r
      Max-Forwards: 70\r
      From: <sip:flood@lab.example>;tag=f\r
      To: <sip:192.0.2.10>\r
      Call-ID: flood@lab\r
      CSeq: 1 NOTIFY\r
      Event: keep-alive\r
      Content-Length: 0\r
      \r
      """;

  @Override
  public String topology() {
    return "upcalls";
  }

  @Override
  public boolean play(Stage stage) throws IOException {
    stage.step("deploy the keep-alive responder");
    stage.deploy(LabHome.dist().resolve("apps/keepalive.jar"), 5060, Map.of("pass-every", "0"));
    Path payload = stage.testbed().state().resolve("flood.txt");
    Files.writeString(payload, KEEP_ALIVE);
    Wait.until("the dispatcher's counters", PATIENCE, () -> dispatcher(stage).has("upcalls"));
    JsonNode container = container(stage);
    long pid = container.path("pid").asLong();
    return apart(stage, container)
        && leavesSignals(stage, pid)
        && gathered(stage, pid, payload)
        && ended(stage);
  }

  /** Checks that only the container's packet threads run on the packet processor. */
  private static boolean apart(Stage stage, JsonNode container) throws IOException {
    if (Runtime.getRuntime().availableProcessors() <= PROCESSOR) {
      stage.out().println("  one processor: none can be set apart");
      return true;
    }
    stage.step("processor " + PROCESSOR + " is for packets alone");
    Map<String, Boolean> threads = new TreeMap<>();
    threads(container.path("pktio").asLong(), "pktio ", threads);
    threads(container.path("pid").asLong(), "host ", threads);
    boolean holds = threads.size() > 2 && threads.containsKey("host packets");
    for (Map.Entry<String, Boolean> thread : threads.entrySet()) {
      boolean wanted =
          thread.getKey().startsWith("pktio ") || "host packets".equals(thread.getKey());
      if (thread.getValue() != wanted) {
        stage.out().println("  wrong: " + thread.getKey());
        holds = false;
      }
    }
    stage
        .out()
        .println("  " + threads.size() + " kinds of threads, each where it belongs: " + holds);
    return holds;
  }

  /** Adds each thread by its name, with true if it may run on the packet processor. */
  private static void threads(long pid, String process, Map<String, Boolean> found)
      throws IOException {
    try (DirectoryStream<Path> tasks =
        Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
      for (Path task : tasks) {
        String status;
        try {
          status = Files.readString(task.resolve("status"));
        } catch (NoSuchFileException e) {
          continue; // the thread has ended
        }
        String mask = field(status, "Cpus_allowed").replace(",", "");
        boolean may = new BigInteger(mask, 16).testBit(PROCESSOR);
        found.merge(process + field(status, "Name"), may, Boolean::logicalOr);
      }
    }
  }

  private static String field(String status, String name) {
    return status
        .lines()
        .filter(line -> line.startsWith(name + ":"))
        .findFirst()
        .map(line -> line.substring(name.length() + 1).strip())
        .orElseThrow();
  }

  /** Stops the container's process while packets come. */
  private static boolean gathered(Stage stage, long pid, Path payload) throws IOException {
    stage.step(
        "%d times %d packets that gather while the container stands still"
            .formatted(ROUNDS, GATHERED));
    JsonNode before = dispatcher(stage);
    for (int i = 1; i <= ROUNDS; i++) {
      long delivered = Stage.counter(stage.counters(), "delivered") + GATHERED;
      Shell.run("kill", "-STOP", Long.toString(pid));
      try {
        send(stage, payload, GATHERED);
        Wait.until(
            "all packets in the ring",
            PATIENCE,
            () -> Stage.counter(stage.counters(), "delivered") == delivered);
      } finally {
        Shell.run("kill", "-CONT", Long.toString(pid));
      }
      long handed = before.path("packets").asLong() + (long) i * GATHERED;
      Wait.until(
          "the dispatcher to have them",
          PATIENCE,
          () -> dispatcher(stage).path("packets").asLong() >= handed);
    }
    JsonNode after = settled(stage);
    long packets = after.path("packets").asLong() - before.path("packets").asLong();
    long upcalls = after.path("upcalls").asLong() - before.path("upcalls").asLong();
    stage.show(
        new ResultTable("gathered", "handed to modules", "upcalls", "packets per upcall")
            .row(
                ROUNDS * GATHERED,
                packets,
                upcalls,
                "%.1f".formatted((double) packets / Math.max(1, upcalls))));
    return packets == (long) ROUNDS * GATHERED && packets >= FULL * upcalls;
  }

  /**
   * Checks that the virtual machine handles neither TERM nor INT. With handlers it may be quicker
   * than its host and stop no module.
   */
  private static boolean leavesSignals(Stage stage, long pid) throws IOException {
    String status = Files.readString(Path.of("/proc", Long.toString(pid), "status"));
    BigInteger caught = new BigInteger(field(status, "SigCgt"), 16);
    boolean leaves = !caught.testBit(SIGTERM - 1) && !caught.testBit(SIGINT - 1);
    stage.out().println("  TERM and INT are left to the host: " + leaves);
    return leaves;
  }

  /**
   * Stops the node and checks that the host exited with 0. A virtual machine that had taken TERM
   * would end with 143.
   */
  private static boolean ended(Stage stage) throws IOException {
    stage.step("stop the node");
    Path log = NodeDaemon.root(stage.testbed(), "node").resolve("var/log/netserv/spawner.log");
    NodeProcesses.of(stage.testbed(), "node").stop();
    List<String> ends =
        Files.readAllLines(log, StandardCharsets.ISO_8859_1).stream()
            .filter(line -> line.contains("event exited container="))
            .toList();
    ends.forEach(line -> stage.out().println("  " + line));
    return !ends.isEmpty() && ends.stream().allMatch(line -> line.contains(" status=exit:0 "));
  }

  private static void send(Stage stage, Path payload, int packets) throws IOException {
    String flood = LabHome.dist().resolve("bin/lab-flood").toString();
    Tool.start(
            stage.testbed(),
            "user",
            stage.unique("flood"),
            List.of("sh", "-c", "exec " + flood + " 192.0.2.10 5060 " + packets + " 0 <" + payload))
        .result(120);
  }

  private static JsonNode container(Stage stage) throws IOException {
    try (NodeClient node = stage.testbed().client("node")) {
      return node.status().path("containers").path(0);
    }
  }

  /**
   * Waits until the counters are the same in several reads, because the node asks its containers
   * for them only now and then.
   */
  private static JsonNode settled(Stage stage) throws IOException {
    JsonNode last = dispatcher(stage);
    for (int reads = 0, same = 0; reads < PATIENCE.toSeconds() && same < 3; reads++) {
      Wait.pause(1000);
      JsonNode now = dispatcher(stage);
      same = now.equals(last) ? same + 1 : 0;
      last = now;
    }
    return last;
  }

  private static JsonNode dispatcher(Stage stage) throws IOException {
    return stage.counters().findPath("dispatcher");
  }
}
