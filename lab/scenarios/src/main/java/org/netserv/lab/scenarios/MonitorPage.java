// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.tool.PageVisit;
import org.netserv.ncm.Header;

/**
 * The dashboard of a node that answers keep-alives, serves a web server's objects, relays calls and
 * counts in the kernel, in a browser. Each number is the node's of that second. The top talkers,
 * the cache hits, the relayed calls and the path are those of {@code --json}. The console has no
 * error, and no picture is wider than its window. A container that is killed shows, and a node of
 * the path that was stopped. The pictures stay in {@code target/lab-pages}.
 */
public final class MonitorPage implements Scenario {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final long SHOWS_MILLIS = 2_000;
  private static final int SIP = 5060;
  private static final int COUNTED = 9;
  private static final int DATAGRAMS = 1_500;
  private static final String KEEP_ALIVE = "NetServ.apps.KeepAlive";
  private static final String NODE = "node";
  private static final String FAR = "far";
  private static final String SERVER = "server";

  private final ResultTable table = new ResultTable("the page", "wanted", "is", "");
  private boolean holds = true;
  private Stage stage;
  private Testbed testbed;

  @Override
  public String topology() {
    return "monitor-page";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    stage.step("deploy the keep-alive responder, and one agent");
    stage.deploy(LabHome.dist().resolve("apps/keepalive.jar"), SIP, Map.of());
    Tool agent = stage.keepAlives(50, 9_000, 4000, "alone");
    stage.step("deploy the monitor for which the kernel counts, and send " + DATAGRAMS);
    stage.deploy(
        LabHome.dist().resolve("apps/netmonitor.jar"),
        COUNTED,
        Map.of(Header.FILTER_COUNT, "src,dst,ttl"),
        Map.of());
    stage.datagrams(COUNTED, 1_000, DATAGRAMS).result(30);
    GainTraffic traffic = new GainTraffic(stage, NODE);
    traffic.askCache();
    traffic.callByRelay();
    stage.step("the dashboard in a browser");
    String link = dashboard();
    Path pictures = LabHome.home().resolve("target/lab-pages");
    long before = packets();
    long savedBefore = saved();
    Tool visit = Tool.start(testbed, SERVER, "visit", PageVisit.class, link, pictures);
    says(visit, "looking");
    long after = packets();
    long savedAfter = saved();
    List<String> shown = shown();
    same("top talkers that differ from --json", talkers(), shown, "talker ");
    same("nodes of the path that differ from --json", hops(), shown, "hop ");
    List<String> still = shown.stream().filter(line -> !line.contains(KEEP_ALIVE)).toList();
    JsonNode told = ask("top", "node", "top", "--count", "1", "--root", root());
    same("gains that differ from --json", GainTraffic.lines(told), still, "gain ");
    long hits = GainTraffic.hits(told);
    row("cache hits", GainTraffic.HITS, hits, hits == GainTraffic.HITS);
    long calls = GainTraffic.calls(told);
    row("relayed calls", GainTraffic.CALLS, calls, calls == GainTraffic.CALLS);
    stage.step("kill the container");
    long killed = kill();
    says(visit, "changed=");
    stage.step("stop the first node of the path");
    NodeProcesses.of(testbed, FAR).stop();
    Map<String, Long> seen = visit.result(90);
    agent.process().destroy();
    nothing("cells that show something else", seen.get("wrong"));
    nothing("errors in the console", seen.get("errors"));
    nothing("pictures wider than their window", seen.get("wide"));
    long packets = seen.get("packets");
    row("packets", before + " to " + after, packets, before <= packets && packets <= after);
    long saved = seen.get("saved");
    boolean within = savedBefore <= saved && saved <= savedAfter && saved > 0;
    row("keep-alives saved", savedBefore + " to " + savedAfter, saved, within);
    long millis = seen.get("changed") - killed;
    row(
        "a killed container shows after, ms",
        SHOWS_MILLIS + " at most",
        millis,
        millis <= SHOWS_MILLIS);
    row("nodes that are gone from the path", "1", seen.get("gone"), seen.get("gone") == 1);
    stage.show(table);
    stage.out().println("pictures: " + LabHome.home().relativize(pictures));
    return holds;
  }

  private void nothing(String what, long is) {
    row(what, "0", is, is == 0);
  }

  private void row(String what, Object wanted, Object is, boolean right) {
    holds &= right;
    table.row(what, wanted, is, right ? "ok" : "WRONG");
  }

  /** Compares the lines of one kind that the page shows with those that a command tells. */
  private void same(String what, List<String> told, List<String> shown, String kind) {
    List<String> lines = shown.stream().filter(line -> line.startsWith(kind)).toList();
    boolean right = !told.isEmpty() && told.equals(lines);
    if (!right) {
      stage.out().println("  told: " + told + "\n  shown: " + lines);
    }
    row(what, "0", right ? 0 : Math.max(1, told.size()), right);
  }

  private void says(Tool visit, String word) throws IOException {
    Wait.until(
        "the browser to say " + word,
        LONG,
        () -> {
          if (!visit.running()) {
            throw new LabException(testbed.tail(SERVER, "visit", 10));
          }
          return testbed.tail(SERVER, "visit", 3).contains(word);
        });
  }

  /** Returns the lines of talkers and nodes as the browser has read them from the page. */
  private List<String> shown() throws IOException {
    try (Stream<String> lines = Files.lines(testbed.log(SERVER, "visit"))) {
      return lines
          .filter(line -> line.startsWith("shows "))
          .map(line -> line.substring("shows ".length()))
          .toList();
    }
  }

  /** Returns {@code node talkers --json} in the page's words. */
  private List<String> talkers() throws IOException {
    List<String> lines = new ArrayList<>();
    for (JsonNode talker : ask("talkers", "node", "talkers", "--root", root()).path("talkers")) {
      lines.add(
          String.format(
              Locale.ENGLISH,
              "talker %s %s %s %s any %,d %,d",
              talker.path("publisher").asText(),
              talker.path("kind").asText(),
              talker.path("source").asText(),
              talker.path("destination").asText(),
              talker.path("packets").asLong(),
              talker.path("bytes").asLong()));
    }
    return lines;
  }

  /** Returns {@code probe --json} in the page's words. */
  private List<String> hops() throws IOException {
    List<String> command = new ArrayList<>(List.of("probe", "node"));
    command.addAll(path());
    List<String> lines = new ArrayList<>();
    for (JsonNode node : ask("probe", command.toArray(String[]::new)).path("nodes")) {
      StringBuilder line = new StringBuilder("hop ");
      line.append(node.path("address").asText()).append(' ').append(node.path("node-id").asText());
      line.append(node.path("status").asInt() == 200 ? " answers" : " " + node.path("status"));
      JsonNode modules = node.path("data").path("node").path("modules");
      if (modules.isEmpty()) {
        line.append(" no module of " + Stage.PUBLISHER);
      }
      for (JsonNode module : modules) {
        line.append(' ').append(module.path("module").asText());
        line.append(' ').append(module.path("version").asText());
        line.append(": ").append(module.path("state").asText());
      }
      lines.add(line.toString());
    }
    return lines;
  }

  private String root() {
    return NodeDaemon.root(testbed, NODE).toString();
  }

  /** Returns the options of the PROBE: the path to the user, and the publisher. */
  private List<String> path() throws IOException {
    return List.of(
        "--to",
        testbed.topology().node("user").address(false).ip().getHostAddress(),
        "--user",
        Stage.PUBLISHER,
        "--key",
        testbed.publisher(Stage.PUBLISHER).keyFile().toString());
  }

  /** Runs a command on the server's host, and returns its document. */
  private JsonNode ask(String log, String... words) throws IOException {
    List<String> command = new ArrayList<>(List.of(LabHome.home().resolve("netserv").toString()));
    command.addAll(List.of(words));
    command.add("--json");
    Process process = testbed.converse(SERVER, log, command);
    process.getOutputStream().close();
    return JSON.readTree(
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
  }

  private String dashboard() throws IOException {
    List<String> command = new ArrayList<>(List.of(LabHome.home().resolve("netserv").toString()));
    command.addAll(List.of("dashboard", "--root", root(), "--every", "2"));
    command.addAll(path());
    testbed.spawn(SERVER, "dashboard", command);
    Wait.until(
        "the link", PATIENCE, () -> testbed.tail(SERVER, "dashboard", 1).startsWith("http://"));
    return testbed.tail(SERVER, "dashboard", 1).strip();
  }

  private long packets() throws IOException {
    try (NodeClient node = testbed.client(NODE)) {
      JsonNode container = node.status().path("containers").path(0);
      return GainTraffic.module(container, KEEP_ALIVE).path("packets").asLong();
    }
  }

  /** Returns the keep-alives that the module says it has answered or swallowed. */
  private long saved() throws IOException {
    JsonNode counts = GainTraffic.module(stage.counters(), KEEP_ALIVE).path("counts");
    return Stream.of("NOTIFY", "OPTIONS", "STUN", "PING")
        .mapToLong(name -> counts.path(name).asLong())
        .sum();
  }

  /** Kills the container's process, and returns the time. */
  private long kill() throws IOException {
    try (NodeClient node = testbed.client(NODE)) {
      long pid = node.status().path("containers").path(0).path("pid").asLong();
      long now = System.currentTimeMillis();
      ProcessHandle.of(pid)
          .orElseThrow(() -> new LabException("no process " + pid))
          .destroyForcibly();
      return now;
    }
  }
}
