// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.Wait;

/**
 * Kills the processes of Serval in turn during a transfer by name over two service routers: sald of
 * the user and of the server, both bpfd, and the container of a router. The transfer goes on, and
 * the next connection needs no hand. A program that is killed leaves no rule at any router.
 *
 * <p>The long form also kills the controllers and the container of the far router, whose rules come
 * from hosts, and a sald that does not come back.
 */
public final class ServalKill9 implements Scenario {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String NODE = ServalRouters.NODE;
  private static final String FAR = ServalRouters.FAR;
  private static final String OTHER = "00004003";
  private static final String URL = ServalRouters.URL;
  private static final int BYTES = 6_000_000;

  /** Seconds after which a router forgets a host that has not registered again. */
  private static final int FORGETS = 25;

  private final boolean whole;
  private final ComparedRows rows = new ComparedRows("killed", "what");
  private Stage stage;
  private Testbed testbed;
  private ServalRouters routers;
  private ServalEnds ends;

  private ServalKill9(boolean whole) {
    this.whole = whole;
  }

  public static ServalKill9 full() {
    return new ServalKill9(true);
  }

  public static ServalKill9 quick() {
    return new ServalKill9(false);
  }

  @Override
  public String topology() {
    return "serval-router";
  }

  /** Ends a process, or brings one back. */
  private interface Act {
    void run() throws IOException;
  }

  private static final Act NOTHING = () -> {};

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    routers = new ServalRouters(stage);
    stage.step("service routers on two nodes, nginx with sald at the server, sald at the user");
    routers.deploy(Map.of("registered-seconds", Integer.toString(FORGETS)));
    ends = routers.ends(BYTES);
    rows.row("nothing", "digest by name", ends.web.digest(), ends.download(URL));
    kill("sald of the user", ends.user::kill, ends.user::start);
    kill("sald of the server", ends.server::kill, ends.server::start);
    kill("bpfd of both nodes", () -> end("bpfd", NODE, FAR), NOTHING);
    kill("container of the near router", () -> end("container", NODE), NOTHING);
    program();
    if (whole) {
      kill("controllers of both nodes", () -> end("controller", NODE, FAR), routers::answer);
      kill("container of the far router", () -> end("container", FAR), routers::registered);
      forgotten();
    }
    stage.show(rows.table());
    return rows.hold();
  }

  private void end(String victim, String... nodes) throws IOException {
    List<ProcessHandle> processes = new ArrayList<>();
    for (String node : nodes) {
      processes.add(NodeProcesses.of(testbed, node).handle(victim));
    }
    processes.forEach(ProcessHandle::destroyForcibly);
    Wait.until(
        "the end of " + victim,
        PATIENCE,
        () -> processes.stream().noneMatch(ProcessHandle::isAlive));
  }

  /** Kills a process during a transfer, and connects again. */
  private void kill(String victim, Act kill, Act back) throws IOException {
    stage.step("kill -9 " + victim);
    long near = routers.rules(NODE);
    long far = routers.rules(FAR);
    String log = stage.unique("transfer");
    String slow = "curl -sS -m 60 " + URL + "?rate=2m | sha256sum";
    Tool transfer = ends.user.begin(log, slow);
    Wait.pause(500);
    rows.row(victim, "transfer at the kill", "running", transfer.running() ? "running" : "over");
    kill.run();
    transfer.result(60);
    String seen = testbed.tail(ServalEnds.USER, log, 3).split(" ", 2)[0];
    rows.row(victim, "digest of the transfer", ends.web.digest(), seen);
    back.run();
    rows.row(victim, "digest of a new one", ends.web.digest(), ends.download(URL));
    Wait.until(
        "the rules", PATIENCE, () -> routers.rules(NODE) == near && routers.rules(FAR) == far);
    rows.row(victim, "rules in both kernels", near + far, routers.rules(NODE) + routers.rules(FAR));
  }

  /** Kills a program that has registered a service of its own. */
  private void program() throws IOException {
    String killed = "a server's program";
    stage.step("kill -9 " + killed);
    Tool program =
        Tool.start(
            testbed, ServalEnds.SERVER, stage.unique("program"), List.of("sleep", "infinity"));
    long pid = program.process().pid();
    long before = routers.rules(FAR);
    ends.server.order("register id=" + OTHER + " port=8081 pid=" + pid);
    Wait.until("its rule in the kernel", PATIENCE, () -> routers.rules(FAR) == before + 1);
    rows.row(killed, "rules of the far router with it", before + 1, routers.rules(FAR));
    program.process().destroyForcibly();
    Wait.until("the withdrawal", PATIENCE, () -> routers.rules(FAR) == before);
    rows.row(killed, "rules of the far router", before, routers.rules(FAR));
    boolean stays = ends.server.order("services").contains("\"" + OTHER);
    rows.row(killed, "its rule at the host", "gone", stays ? "stays" : "gone");
  }

  /** Kills the server's sald for good. The router forgets what nobody registers any more. */
  private void forgotten() throws IOException {
    String killed = "sald of the server, for good";
    stage.step("kill -9 " + killed);
    long before = routers.rules(FAR);
    ends.server.kill();
    Duration forgets = Duration.ofSeconds(FORGETS + 10);
    Wait.until("its rule to end", forgets, () -> routers.rules(FAR) < before);
    rows.row(killed, "rules of the far router", before - 1, routers.rules(FAR));
    ends.server.start();
    rows.row(killed, "digest when it is back", ends.web.digest(), ends.download(URL));
  }
}
