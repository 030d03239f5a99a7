// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.KamailioCommand;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.tool.ReportSink;
import org.netserv.lab.testbed.tool.StreamAgent;

/**
 * Checks that the keep-alive module keeps user agents reachable behind a NAT which forgets UDP
 * bindings after two seconds. The server, a Kamailio with usrloc, sends no pings.
 *
 * <ul>
 *   <li>Control: an agent that only registers cannot be called after its binding's lifetime.
 *   <li>Three agents send keep-alives, and the module and the node's kernel answer them. A call
 *       reaches one of them in each of ten lifetimes.
 *   <li>The module's reports name the agents, and later name them as silent.
 *   <li>An agent's TCP stream leads through the module, and its pings are answered.
 *   <li>The server is killed. No keep-alive is answered any more, and the TCP stream ends.
 * </ul>
 */
public final class KeepAliveSip implements Scenario {
  private static final int SIP = 5060;
  private static final int REPORTS = 6000;
  private static final int AGENTS = 3;
  private static final int LIFETIMES = 10;
  private static final int LIFETIME_SECONDS = 2;
  private static final int FIRST_PORT = 5071;
  private static final int WITNESS_PORT = 5080;
  private static final int PINGS = 50;
  private static final int PASS_EVERY = 10;

  /** More pings than an agent sends before the scenario ends. */
  private static final int MANY_PINGS = 1_000_000_000;

  private static final int SIPP_SECONDS = 15;
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String KEY = "6b656570616c69766520696e20746865206c6162";

  private Stage stage;
  private CalledAgents callees;
  private ResultTable table;
  private boolean holds = true;

  @Override
  public String topology() {
    return "keepalive-sip";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    callees =
        new CalledAgents(
            stage.testbed(), "user", "10.0.0.10", stage.server(false).getHostAddress());
    table = new ResultTable("what", "expected", "seen", "");
    CalledAgents.forgetBindings(stage.testbed(), "nat", LIFETIME_SECONDS);
    Tool kamailio = kamailio();
    Tool.start(stage.testbed(), "server", "reports", ReportSink.class, REPORTS, KEY).await("ready");
    control();
    deploy();
    List<Tool> agents = agents();
    calls();
    reported(agents);
    stream();
    killed(kamailio);
    stage.show(table);
    return holds;
  }

  private void row(String what, Object expected, Object seen, boolean ok) {
    table.row(what, expected, seen, ok ? "ok" : "WRONG");
    holds &= ok;
  }

  private Tool kamailio() throws IOException {
    stage.step("a registrar: Kamailio with usrloc, without pings of its own");
    Path dir = Files.createDirectories(stage.testbed().state().resolve("server-kamailio"));
    String at = stage.server(false).getHostAddress() + ":" + SIP;
    Path file =
        CalledAgents.filled(
            "kamailio/registrar.cfg", dir.resolve("kamailio.cfg"), Map.of("LISTEN", listen(at)));
    List<String> command = KamailioCommand.of(file, dir, 4);
    return Tool.start(stage.testbed(), "server", "kamailio", command).await("udp: 192.0.2.10");
  }

  private static String listen(String at) {
    return "listen=udp:" + at + "\nlisten=tcp:" + at;
  }

  private void control() throws IOException {
    stage.step("control: an agent that sends no keep-alives");
    Tool agent = callees.agent("idle", FIRST_PORT + AGENTS, 1, SIPP_SECONDS * 1000);
    boolean fresh = comes("the agent's registration", () -> callees.called("idle"));
    Wait.pause(1000L * (LIFETIME_SECONDS + 1));
    boolean late = callees.called("idle");
    agent.process().destroy();
    row("control: called at once", "yes", fresh ? "yes" : "no", fresh);
    row("control: called after its binding's lifetime", "no", late ? "yes" : "no", !late);
  }

  private void deploy() throws IOException {
    stage.step("deploy the module");
    stage.deploy(
        LabHome.dist().resolve("apps/keepalive.jar"),
        SIP,
        Map.of(
            "watch-interval",
            "1",
            "pass-every",
            "10",
            "tcp-listen",
            Integer.toString(SIP),
            "tcp-server",
            stage.server(false).getHostAddress() + ":" + SIP,
            "report-to",
            stage.server(false).getHostAddress() + ":" + REPORTS,
            "report-key",
            KEY,
            "report-interval",
            "2",
            "report-silent",
            "5"));
  }

  private List<Tool> agents() throws IOException {
    stage.step(AGENTS + " agents register and send a keep-alive each second");
    List<Tool> agents = new ArrayList<>();
    for (int i = 0; i < AGENTS; i++) {
      agents.add(
          callees.agent("agent" + i, FIRST_PORT + i, 2 * LIFETIMES * LIFETIME_SECONDS, 1000));
    }
    return agents;
  }

  private void calls() throws IOException {
    comes("the agents' first keep-alives", () -> report("agents") == AGENTS);
    stage.step("a call in each of " + LIFETIMES + " binding lifetimes");
    int taken = 0;
    long begin = System.nanoTime();
    for (int i = 0; i < LIFETIMES; i++) {
      taken += callees.called("agent" + i % AGENTS) ? 1 : 0;
      long next = 1000L * LIFETIME_SECONDS * (i + 1);
      Wait.pause(Math.max(1, next - (System.nanoTime() - begin) / 1_000_000));
    }
    row("calls taken, one in each binding lifetime", LIFETIMES, taken, taken == LIFETIMES);
    long answered = Stage.counter(stage.counters(), "answers-done");
    row("keep-alives that the kernel answered", "some", answered, answered > 0);
  }

  private long report(String name) {
    String line = stage.testbed().tail("server", "reports", 1);
    for (String word : line.split(" ", -1)) {
      if (word.startsWith(name + "=")) {
        return Long.parseLong(word.substring(name.length() + 1));
      }
    }
    return -1;
  }

  private void reported(List<Tool> agents) throws IOException {
    stage.step("the reports: agents seen, then silent");
    row("agents in the reports", AGENTS, report("agents"), report("agents") == AGENTS);
    row("state of the server in the reports", 1, report("state"), report("state") == 1);
    agents.forEach(agent -> agent.process().destroy());
    boolean silent = comes("silent agents", () -> report("silent") == AGENTS);
    row("agents that fell silent, in the reports", AGENTS, report("silent"), silent);
    row("reports that were not one", 0, report("bad"), report("bad") == 0);
  }

  private static boolean comes(String what, Wait.Condition condition) throws IOException {
    try {
      Wait.until(what, PATIENCE, condition);
      return true;
    } catch (LabException e) {
      return false;
    }
  }

  /** Starts an agent whose TCP stream leads to the node. It sends so many pings. */
  private Tool streamAgent(int pings) throws IOException {
    String edge =
        stage
            .testbed()
            .topology()
            .node("node")
            .interfaces()
            .get("edge")
            .get(0)
            .ip()
            .getHostAddress();
    return Tool.start(
        stage.testbed(),
        "user",
        stage.unique("stream"),
        StreamAgent.class,
        edge,
        SIP,
        stage.server(false).getHostAddress(),
        pings);
  }

  private void stream() throws IOException {
    stage.step("an agent's TCP stream through the module");
    String log = "pings";
    Tool capture =
        Tool.start(
                stage.testbed(),
                "server",
                log,
                List.of("tcpdump", "-nn", "-l", "-i", "eth0", "tcp dst port " + SIP))
            .await("listening on");
    Map<String, Long> agent = streamAgent(PINGS).result(SIPP_SECONDS);
    row("TCP agent registered", 1, agent.get("registered"), agent.get("registered") == 1);
    row("its pings answered", PINGS, agent.get("pongs"), agent.get("pongs") == PINGS);
    row("its OPTIONS answered behind them", 1, agent.get("asked"), agent.get("asked") == 1);
    comes("the server's pings", () -> pings(log) == PINGS / PASS_EVERY);
    capture.process().destroy();
    long seen = pings(log);
    row("pings that the server got", PINGS / PASS_EVERY, seen, seen == PINGS / PASS_EVERY);
  }

  /** Returns the number of captured segments that have the four bytes of a ping. */
  private long pings(String log) throws IOException {
    return Files.readAllLines(stage.testbed().log("server", log)).stream()
        .filter(line -> line.matches(".* length 4(: .*)?"))
        .count();
  }

  private void killed(Tool kamailio) throws IOException {
    stage.step("the server is killed");
    long before = witness(20);
    row("keep-alives answered of 20 while the server lives", 20, before, before == 20);
    Tool stream = streamAgent(MANY_PINGS).await("ready");
    kamailio.process().descendants().forEach(ProcessHandle::destroyForcibly);
    kamailio.process().destroyForcibly();
    boolean dead = comes("a dead server", () -> report("state") == 3);
    row("state of the server in the reports", 3, report("state"), dead);
    long after = witness(20);
    row("keep-alives answered of 20 after its death", 0, after, after == 0);
    long closed = stream.result(SIPP_SECONDS).get("closed");
    row("TCP stream ended with the server", 1, closed, closed == 1);
  }

  /** Returns how many of an agent's keep-alives are answered. */
  private long witness(int count) throws IOException {
    return stage.keepAlives(20, count, WITNESS_PORT, "alone").result(SIPP_SECONDS).get("answered");
  }
}
