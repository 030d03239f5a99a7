// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.VethCard;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.capture.PacketCounter;

/**
 * Checks that AF_XDP carries the packets of exactly one publisher. Its packets come by AF_XDP from
 * the moment its policy says so. While bpfd is away they come by the queue. When the publisher's
 * module is gone, nothing is steered.
 */
public final class AfXdp implements Scenario {
  private static final int PORT = 5060;
  private static final int FOREIGN_PORT = 7000;
  private static final int RATE = 500;
  private static final int KEEP_ALIVES = 500;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private Stage stage;
  private ResultTable table;

  @Override
  public String topology() {
    return "afxdp";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    table = new ResultTable("", "sent", "answered", "by AF_XDP", "by either way", "");
    for (String host : new String[] {"user", "server"}) {
      VethCard.of(stage.testbed(), host).addsChecksums();
    }
    stage.step("deploy the keep-alive responder: its publisher is on queues");
    Bundle bundle =
        stage.deploy(LabHome.dist().resolve("apps/keepalive.jar"), PORT, Map.of("pass-every", "0"));
    boolean holds = flow("by the queue", 0, KEEP_ALIVES);
    stage.step("plane: afxdp, and reload");
    plane();
    holds &= flow("by AF_XDP", KEEP_ALIVES, KEEP_ALIVES);
    holds &= foreign();
    stage.step("kill bpfd");
    holds &= killed();
    stage.step("remove the module");
    holds &= removed(bundle);
    stage.show(table);
    return holds;
  }

  private void plane() throws IOException {
    Path etc = NodeDaemon.root(stage.testbed(), "node").resolve("etc/netserv/publishers.d");
    Path file = etc.resolve(Stage.PUBLISHER + ".yaml");
    Files.writeString(file, Files.readString(file).replaceFirst("plane: .*", "plane: afxdp"));
    try (NodeClient node = stage.testbed().client("node")) {
      node.reload();
    }
    Wait.until("a socket for each interface", PATIENCE, () -> pktio("xdp_sockets") == 2);
    keepAlives(RATE / 10).result(60); // until packets are steered and neighbours are known
  }

  private Tool keepAlives(int count) throws IOException {
    return stage.keepAlives(RATE, count, 4000, "alone");
  }

  private boolean flow(String what, int byXdp, int inAll) throws IOException {
    long xdp = pktio("xdp_received");
    long all = pktio("received");
    Map<String, Long> result = keepAlives(KEEP_ALIVES).result(60);
    Wait.until("its counters", PATIENCE, () -> pktio("received") - all >= inAll);
    long steered = pktio("xdp_received") - xdp;
    long received = pktio("received") - all;
    boolean holds = result.get("answered") == KEEP_ALIVES && received == inAll && steered == byXdp;
    row(what, KEEP_ALIVES, result.get("answered"), steered, received, holds);
    return holds;
  }

  private void row(String what, long sent, long got, long xdp, long all, boolean holds) {
    table.row(what, sent, got, xdp, all, holds ? "ok" : "WRONG");
  }

  /** Checks that packets outside every filter stay in the kernel. */
  private boolean foreign() throws IOException {
    long xdp = pktio("xdp_received");
    long all = pktio("received");
    Tool sink = stage.sink(FOREIGN_PORT, KEEP_ALIVES);
    stage.datagrams(FOREIGN_PORT, RATE, KEEP_ALIVES).result(60);
    long came = sink.result(60).get("received");
    long steered = pktio("xdp_received") - xdp;
    long received = pktio("received") - all;
    boolean holds = came == KEEP_ALIVES && steered == 0 && received == 0;
    row("of others (the server's)", KEEP_ALIVES, came, steered, received, holds);
    return holds;
  }

  /**
   * Kills bpfd during a flow. The node must say that the fast path is away, and no packet may be
   * lost. The next bpfd must steer packets again.
   */
  private boolean killed() throws IOException {
    long xdp = pktio("xdp_received");
    long all = pktio("received");
    Tool agent = keepAlives(KEEP_ALIVES);
    Wait.until("the first of them", PATIENCE, () -> pktio("received") > all);
    NodeProcesses.of(stage.testbed(), "node").kill("bpfd");
    Wait.until("the node to say so", PATIENCE, () -> log().contains("fast path: not on edge,core"));
    Map<String, Long> result = agent.result(60);
    Wait.until("its counters", PATIENCE, () -> pktio("received") - all >= KEEP_ALIVES);
    long steered = pktio("xdp_received") - xdp;
    long received = pktio("received") - all;
    boolean holds = result.get("answered") == KEEP_ALIVES && received == KEEP_ALIVES;
    row("and bpfd killed", KEEP_ALIVES, result.get("answered"), steered, received, holds);
    Wait.until("bpfd to be back", PATIENCE, this::isOn);
    keepAlives(RATE / 10).result(60);
    return flow("bpfd is back", KEEP_ALIVES, KEEP_ALIVES) && holds;
  }

  private String log() {
    return NodeDaemon.controllerLog(NodeDaemon.root(stage.testbed(), "node"), 50);
  }

  private boolean isOn() throws IOException {
    try (NodeClient node = stage.testbed().client("node")) {
      return node.status().path("fastPath").path("interfaces").size() == 2;
    }
  }

  private boolean removed(Bundle bundle) throws IOException {
    stage.remove(bundle);
    PacketCounter server = PacketCounter.install(stage.testbed(), "server", "eth0", PORT);
    stage.datagrams(PORT, RATE, KEEP_ALIVES).result(60);
    Wait.until("all packets", PATIENCE, () -> server.read() >= KEEP_ALIVES);
    boolean holds = server.read() == KEEP_ALIVES;
    table.row(
        "removed (the server's)", KEEP_ALIVES, server.read(), "-", "-", holds ? "ok" : "WRONG");
    return holds;
  }

  private long pktio(String name) throws IOException {
    return Stage.counter(stage.counters(), name);
  }
}
