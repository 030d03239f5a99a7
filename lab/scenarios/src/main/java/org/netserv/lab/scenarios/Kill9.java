// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.netserv.frames.Json;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.capture.PacketCounter;
import org.netserv.lab.testbed.tool.GistSink;

/**
 * Kills each process of a node in turn under load.
 *
 * <p>Foreign traffic must lose nothing, be it UDP or signaling that is not for this node. Such
 * signaling is Queries of another application, D-mode messages in transit, and datagrams to port
 * 270 that are no GIST at all.
 *
 * <p>Keep-alives must reach the server within a second, unless the module goes on handling them.
 * The module must handle them again within 15 seconds. The node must count and name the packets
 * that waited in it, and no other keep-alive may stay without an answer. The controller holds no
 * packets.
 *
 * <p>The scenario also kills a pktio while the spawner has work that takes long. The packets of
 * that pktio must go on within a second all the same. The control is a spawner that waits for such
 * work.
 */
public final class Kill9 implements Scenario {
  private static final int KEEP_ALIVES = 500;
  private static final int FOREIGN = 1000;
  private static final int SECONDS = 9;

  /** Seconds of runs in which more than a small process has to come back. */
  private static final Map<String, Integer> LONG =
      Map.of("nsis-gist", 12, "container", 20, "spawner", 20);

  /** Seconds of runs in which the spawner's work begins or ends between traffic and verdict. */
  private static final Map<SpawnerWork, Integer> BUSY =
      Map.of(SpawnerWork.DISK, 14, SpawnerWork.BPFD, 10, SpawnerWork.WAITS, 11);

  private static final int KILL_AFTER_MS = 3000;
  private static final int FOREIGN_PORT = 7000;

  /** Packets a second to port 270, of three kinds by turns. */
  private static final int SIGNALING = 300;

  private static final List<String> VICTIMS =
      List.of("controller", "spawner", "pktio", "container", "nsis-gist", "sigio");

  /** Processes that hold no keep-alives. Each keep-alive is answered when one of them dies. */
  private static final List<String> BESIDE = List.of("controller", "nsis-gist", "sigio");

  private static final String PKTIO = "pktio";
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final long GAP_MS = 1000;
  private static final double AGAIN_S = 15;

  /** At the end of a run, without which nothing says that the module handles packets again. */
  private static final double QUIET_S = 1;

  private final String topology;
  private final List<String> victims;
  private Stage stage;
  private PacketCounter server;
  private int port = 21_000;

  private Kill9(String topology, List<String> victims) {
    this.topology = topology;
    this.victims = victims;
  }

  public static Kill9 whole() {
    return new Kill9("keepalive", VICTIMS);
  }

  /** Returns the part with the spawner that has work, on a topology of its own. */
  public static Kill9 busySpawner() {
    return new Kill9("busy-spawner", List.of());
  }

  @Override
  public String topology() {
    return topology;
  }

  /**
   * Results of one run.
   *
   * @param lost packets of the foreign stream
   * @param signaling packets to port 270 that were lost or damaged
   * @param handled Queries to port 270 that went through nsis-gist; none while nsis-gist is away
   * @param gap longest time without an answered keep-alive, ms
   * @param bypassed keep-alives that the server saw
   * @param again seconds from the kill to the last bypassed keep-alive; 0 = the module never
   *     stopped
   * @param watched seconds from the kill in which keep-alives at the server were counted
   * @param held packets that waited in the node at the kill, as it said; -1 = it did not say
   * @param lasted true if the spawner's trouble went on until the end
   */
  private record Run(
      long lost,
      long signaling,
      long handled,
      long gap,
      long bypassed,
      double again,
      double watched,
      long unanswered,
      long held,
      boolean lasted) {}

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    stage.step("deploy the keep-alive responder");
    stage.deploy(LabHome.dist().resolve("apps/keepalive.jar"), 5060, Map.of("pass-every", "0"));
    server = PacketCounter.install(stage.testbed(), "server", "eth0", 5060);
    ResultTable table =
        new ResultTable(
            "killed",
            "foreign lost",
            "port 270 lost",
            "Queries by nsis-gist",
            "longest gap ms",
            "bypassed",
            "handled again s",
            "unanswered",
            "held, as reported",
            "");
    Run calm = run(null, SpawnerWork.NONE);
    // The daemon must have handled Queries, or it could not have lost any.
    boolean seen = calm.handled() > SIGNALING * SECONDS / 3 / 2;
    boolean holds = calm.bypassed() == 0 && calm.signaling() == 0 && seen;
    row(table, "nothing", calm, holds);
    for (String victim : victims) {
      if (!stage.wants(victim)) {
        continue;
      }
      Run run = run(victim, SpawnerWork.NONE);
      boolean right =
          run.lost() <= calm.lost()
              && run.signaling() == 0
              && run.gap() <= GAP_MS
              && run.again() <= Math.min(AGAIN_S, run.watched() - QUIET_S)
              && run.held() >= 0
              && run.unanswered() <= run.held();
      row(table, victim, run, right);
      holds &= right;
    }
    for (SpawnerWork trouble : List.of(SpawnerWork.DISK, SpawnerWork.BPFD, SpawnerWork.WAITS)) {
      holds &= !stage.wants(PKTIO + trouble.text()) || busy(table, calm, trouble);
    }
    stage.show(table);
    return holds;
  }

  /** Kills a pktio while the spawner is busy. The control must show the damage. */
  private boolean busy(ResultTable table, Run calm, SpawnerWork trouble) throws IOException {
    if (trouble == SpawnerWork.BPFD) {
      stage.step("switch the fast path on, so that there is a bpfd to be asked");
      fastPath(true);
    }
    Run run = run(PKTIO, trouble);
    boolean quick = run.gap() <= GAP_MS && run.lasted();
    boolean right =
        trouble == SpawnerWork.WAITS
            ? run.gap() > GAP_MS
            : quick && run.lost() <= calm.lost() && run.unanswered() <= Math.max(0, run.held());
    row(table, PKTIO + trouble.text(), run, right);
    if (trouble == SpawnerWork.BPFD) {
      fastPath(false);
    }
    return right;
  }

  /** Switches the fast path on or off, and waits until the node says that it is. */
  private void fastPath(boolean on) throws IOException {
    NodeDaemon.reconfigure(stage.testbed(), "node", config(on));
    Wait.until("the fast path", PATIENCE, () -> interfaces() == (on ? 2 : 0));
  }

  private int interfaces() throws IOException {
    try (NodeClient node = stage.testbed().client("node")) {
      return node.status().path("fastPath").path("interfaces").size();
    }
  }

  /** Returns the topology's own node.yaml, with the fast path or without it. */
  private ObjectNode config(boolean fastPath) {
    ObjectNode config = Json.object().put("spares", 1);
    config.putObject("fetch").putArray("allow").add("192.0.2.10/32").add("2001:db8:1::10/128");
    if (fastPath) {
      config.putObject("fast-path").putArray("interfaces").add("edge").add("core");
    }
    return config;
  }

  private static void row(ResultTable table, String name, Run run, boolean right) {
    table.row(
        name,
        run.lost(),
        run.signaling(),
        run.handled(),
        run.gap(),
        run.bypassed(),
        "%.1f".formatted(run.again()),
        run.unanswered(),
        run.held() < 0 ? "MISSING" : run.held(),
        right ? "ok" : "WRONG");
  }

  private static int seconds(String victim, SpawnerWork trouble) {
    if (trouble != SpawnerWork.NONE) {
      return BUSY.get(trouble);
    }
    return victim == null ? SECONDS : LONG.getOrDefault(victim, SECONDS);
  }

  private Run run(String victim, SpawnerWork trouble) throws IOException {
    stage.step(victim == null ? "the same without a kill" : "kill -9 " + victim + trouble.text());
    int seconds = seconds(victim, trouble);
    int count = FOREIGN * seconds;
    Tool sink = stage.sink(FOREIGN_PORT, count);
    Tool source = stage.datagrams(FOREIGN_PORT, FOREIGN, count);
    Tool agent = stage.keepAlives(KEEP_ALIVES, KEEP_ALIVES * seconds, port++);
    Tool signalingSink =
        Tool.start(
                stage.testbed(),
                "server",
                stage.unique("gist-sink"),
                GistSink.class,
                SIGNALING * seconds,
                4)
            .await("ready");
    Tool signaling = signaling(stage.server(false).getHostAddress(), seconds);
    Wait.pause(KILL_AFTER_MS);
    NodeProcesses processes = NodeProcesses.of(stage.testbed(), "node");
    ProcessHandle process = victim == null ? null : processes.handle(victim);
    trouble.begin(stage.testbed());
    HeldReport report = HeldReport.begin(NodeDaemon.root(stage.testbed(), "node"));
    if (process != null && !process.destroyForcibly()) {
      throw new LabException("cannot kill " + victim);
    }
    trouble.killed(stage.testbed());
    Bypass bypass = watch(seconds - KILL_AFTER_MS / 1000.0 - 1.5);
    Map<String, Long> sent = source.result(30);
    long received = sink.result(30).get("received");
    Map<String, Long> kept = agent.result(30);
    long left = signaling.result(30).get("sent");
    Map<String, Long> came = signalingSink.result(30);
    boolean lasted = trouble.end(stage.testbed());
    return new Run(
        sent.get("sent") - received,
        left - came.get("queries") - came.get("data") - came.get("noise") + came.get("damaged"),
        came.get("handled"),
        kept.get("gap"),
        bypass.packets(),
        bypass.seconds(),
        bypass.watched(),
        kept.get("sent") - kept.get("answered"),
        victim == null || BESIDE.contains(victim) ? 0 : report.find(),
        lasted);
  }

  /**
   * Sends signaling from the router before the node. The source is the router's own address, so
   * that no NAT changes it.
   */
  private Tool signaling(String to, int seconds) throws IOException {
    return Tool.start(
        stage.testbed(),
        "nat",
        stage.unique("gist"),
        List.of(
            LabHome.dist().resolve("bin/lab-gist").toString(),
            "transit",
            stage.testbed().topology().node("nat").address(false).ip().getHostAddress(),
            to,
            Integer.toString(SIGNALING * seconds),
            Integer.toString(SIGNALING),
            "9"));
  }

  /**
   * Keep-alives at the server after the kill, the time of the last of them, and how long they were
   * counted.
   */
  private record Bypass(long packets, double seconds, double watched) {}

  /**
   * Counts until a little before the agent stops, because the agent's last request is for the
   * server.
   */
  private Bypass watch(double end) throws IOException {
    long kill = System.nanoTime();
    long first = server.read();
    long seen = first;
    double last = 0;
    for (double now = 0; now < end; now = (System.nanoTime() - kill) / 1e9) {
      long packets = server.read();
      if (packets > seen) {
        seen = packets;
        last = now;
      }
      Wait.pause(200);
    }
    return new Bypass(seen - first, last, end);
  }
}
