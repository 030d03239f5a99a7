// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.netserv.lab.testbed.HostileBundle;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;

/**
 * All scenes of the bench. The firewall rules are always the rules that a node writes for one
 * filter.
 */
final class Scenes {
  private static final int SMALL = 64;
  private static final int NOTIFY = 340;
  private static final String QUEUE_LENGTH = "1024";

  private static final Map<String, String> COLLECTOR =
      Map.of("visualizer_ip", Stand.RECEIVER_ADDRESS, "visualizer_port", "5678");

  /**
   * The filter's rule, which is the last rule that queues. The rules of signaling come before it.
   */
  private static final Pattern FILTER =
      Pattern.compile("(?m)^(-A NETSERV .*--dport 5060 )-j NFQUEUE --queue-num (\\d+) .*$");

  /**
   * Rules of a node with one filter, as iptables-save prints them; null = no node has shown its
   * rules yet.
   */
  private String rules;

  /** Returns every row, including rows that this machine cannot measure. */
  List<Cell> cells() {
    Cell netfilter = ruled("netfilter", "+ a node's rules", SMALL, 250_000, this::netfilter);
    Cell queue = ruled("queue", "best C on the queue", SMALL, 80_000, this::queue);
    Cell java = cell("java", "+ Java", SMALL, 70_000, node(NodeScene.module("Accept")));
    Cell afxdpC = ruled("afxdp-c", "C by AF_XDP", SMALL, 120_000, this::afxdpC);
    Cell afxdp = cell("afxdp-java", "Java by AF_XDP", SMALL, 120_000, NodeScene.afxdp("Accept"));
    return List.of(
        cell("forward", "plain forwarding", SMALL, 300_000, stand -> Reader.NONE),
        netfilter,
        queue,
        ruled("ring", "+ container without Java", SMALL, 70_000, this::ring),
        java,
        cell("netmonitor", "+ NetMonitor", SMALL, 70_000, netmonitor()),
        ruled("direct", "Java that reads the queue", SMALL, 70_000, this::direct),
        cell("netmonitor-kernel", "NetMonitor in the kernel", SMALL, 250_000, counted()),
        afxdpC,
        ruled("queue-340", "best C on the queue", NOTIFY, 80_000, this::queue),
        cell("java-340", "+ Java", NOTIFY, 70_000, node(NodeScene.module("Accept"))),
        cell("keepalive-340", "+ KeepAlive", NOTIFY, 60_000, keepAlive()),
        afxdp,
        cell("offload", "flows left to the kernel", SMALL, 400_000, NodeScene.offload("Offload")),
        two(netfilter),
        two(queue),
        two(java),
        two(afxdp));
  }

  private Scene keepAlive() {
    return node(NodeScene.app("keepalive", Map.of("pass-every", "1")));
  }

  private static Cell cell(String name, String title, int bytes, int guess, Scene scene) {
    return new Cell(name, title, bytes, 1, false, guess, scene);
  }

  private static Cell ruled(String name, String title, int bytes, int guess, Scene scene) {
    return new Cell(name, title, bytes, 1, true, guess, scene);
  }

  private static Cell two(Cell cell) {
    return new Cell(
        cell.name() + "-2",
        cell.title(),
        cell.bytes(),
        2,
        cell.ruled(),
        cell.guess(),
        cell.scene());
  }

  private Scene netmonitor() {
    return node(NodeScene.app("netmonitor", COLLECTOR));
  }

  /** Makes a scene in which the node has another rule for the filter. Its rules are not kept. */
  private static Scene counted() {
    return NodeScene.counted("netmonitor", COLLECTOR);
  }

  /** Makes a scene that keeps the rules of the first node. */
  private Scene node(Scene scene) {
    return stand -> {
      Reader reader = scene.open(stand);
      if (rules == null) {
        rules = stand.rules();
      }
      return reader;
    };
  }

  /** Starts a node and keeps its rules, if no node has shown its rules yet. */
  void learnRules(PrintStream out) throws IOException {
    if (rules == null) {
      try (Stand stand = Stand.open(out)) {
        node(NodeScene.module("Accept")).open(stand);
      }
    }
  }

  private Matcher filter() throws IOException {
    Matcher found = FILTER.matcher(rules);
    if (!found.find()) {
      throw new LabException("the node's rules have no filter:\n" + rules);
    }
    return found;
  }

  /** Opens a scene in which the filter matches and lets the packet go on. */
  private Reader netfilter(Stand stand) throws IOException {
    stand.rules(filter().replaceFirst("$1-j RETURN"));
    return Reader.NONE;
  }

  private Reader queue(Stand stand) throws IOException {
    stand.rules(rules);
    ProcessHandle process = stand.reader("lab-queue", filter().group(2), QUEUE_LENGTH);
    return new Reader(
        List.of(new Reader.Worker(process.pid(), "-")),
        process.pid(),
        Reader.By.MODULE,
        null,
        false);
  }

  /**
   * Opens a scene with the dispatcher and module of a node, in one process that also reads the
   * queue.
   */
  private Reader direct(Stand stand) throws IOException {
    stand.rules(rules);
    ProcessHandle process =
        stand.reader(
            "lab-direct",
            LabHome.java().resolve("lib/server/libjvm.so"),
            HostileBundle.compileDirect(stand.testbed().state()),
            filter().group(2),
            QUEUE_LENGTH);
    return new Reader(
        List.of(new Reader.Worker(process.pid(), "packets")),
        process.pid(),
        Reader.By.MODULE,
        null,
        true);
  }

  private Reader ring(Stand stand) throws IOException {
    return ring(stand, List.of());
  }

  /**
   * Opens a scene with pktio and ring in which bpfd steers packets to their sockets as in a node.
   */
  private Reader afxdpC(Stand stand) throws IOException {
    Path dist = LabHome.dist();
    return ring(
        stand, List.of(dist.resolve("bin/bpfd"), dist.resolve("kernel"), "labin", "labout"));
  }

  private Reader ring(Stand stand, List<?> steered) throws IOException {
    stand.rules(rules);
    List<Object> arguments = new ArrayList<>();
    arguments.add(LabHome.dist().resolve("bin/pktio"));
    arguments.add(filter().group(2));
    arguments.add(QUEUE_LENGTH);
    arguments.addAll(steered);
    ProcessHandle process = stand.reader("lab-ring", arguments.toArray());
    long pktio = process.children().filter(Scenes::isPktio).findFirst().orElseThrow().pid();
    return new Reader(
        List.of(new Reader.Worker(pktio, "-"), new Reader.Worker(process.pid(), "packets")),
        pktio,
        Reader.By.MODULE,
        null,
        false);
  }

  private static boolean isPktio(ProcessHandle process) {
    return process.info().command().orElse("").endsWith("/pktio");
  }
}
