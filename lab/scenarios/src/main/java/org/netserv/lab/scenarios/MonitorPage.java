// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.tool.PageVisit;

/**
 * The dashboard of a node that answers keep-alives, in a browser: each number is the node's of that
 * second, the console has no error, no picture is wider than its window, and a container that is
 * killed shows. The pictures stay in {@code target/lab-pages}.
 */
public final class MonitorPage implements Scenario {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long SHOWS_MILLIS = 2_000;
  private static final int SIP = 5060;

  private final ResultTable table = new ResultTable("the page", "wanted", "is", "");
  private boolean holds = true;

  @Override
  public String topology() {
    return "keepalive";
  }

  @Override
  public boolean play(Stage stage) throws IOException {
    Testbed testbed = stage.testbed();
    stage.step("deploy the keep-alive responder, and one agent");
    stage.deploy(LabHome.dist().resolve("apps/keepalive.jar"), SIP, Map.of());
    Tool agent = stage.keepAlives(50, 6_000, 4000, "alone");
    stage.step("the dashboard in a browser");
    String link = dashboard(testbed);
    Path pictures = LabHome.home().resolve("target/lab-pages");
    long before = packets(stage);
    Tool visit = Tool.start(testbed, "node", "visit", PageVisit.class, link, pictures);
    Wait.until(
        "the browser",
        Duration.ofMinutes(2),
        () -> {
          if (!visit.running()) {
            throw new LabException(testbed.tail("node", "visit", 10));
          }
          return testbed.tail("node", "visit", 3).contains("looking");
        });
    long after = packets(stage);
    stage.step("kill the container");
    long killed = kill(testbed);
    Map<String, Long> seen = visit.result(30);
    agent.process().destroy();
    row("cells that show something else", "0", seen.get("wrong"), seen.get("wrong") == 0);
    row("errors in the console", "0", seen.get("errors"), seen.get("errors") == 0);
    row("pictures wider than their window", "0", seen.get("wide"), seen.get("wide") == 0);
    long packets = seen.get("packets");
    row("packets", before + " to " + after, packets, before <= packets && packets <= after);
    long millis = seen.get("changed") - killed;
    row(
        "a killed container shows after, ms",
        SHOWS_MILLIS + " at most",
        millis,
        millis <= SHOWS_MILLIS);
    stage.show(table);
    stage.out().println("pictures: " + LabHome.home().relativize(pictures));
    return holds;
  }

  private void row(String what, String wanted, long is, boolean right) {
    holds &= right;
    table.row(what, wanted, is, right ? "ok" : "WRONG");
  }

  private static String dashboard(Testbed testbed) throws IOException {
    testbed.spawn(
        "node",
        "dashboard",
        List.of(
            LabHome.home().resolve("netserv").toString(),
            "dashboard",
            "--root",
            NodeDaemon.root(testbed, "node").toString()));
    Wait.until(
        "the link", PATIENCE, () -> testbed.tail("node", "dashboard", 1).startsWith("http://"));
    return testbed.tail("node", "dashboard", 1).strip();
  }

  private static long packets(Stage stage) throws IOException {
    try (NodeClient node = stage.testbed().client("node")) {
      JsonNode container = node.status().path("containers").path(0);
      return container.path("modules").path(0).path("packets").asLong();
    }
  }

  /** Kills the container's process, and returns the time. */
  private static long kill(Testbed testbed) throws IOException {
    try (NodeClient node = testbed.client("node")) {
      long pid = node.status().path("containers").path(0).path("pid").asLong();
      long now = System.currentTimeMillis();
      ProcessHandle.of(pid)
          .orElseThrow(() -> new LabException("no process " + pid))
          .destroyForcibly();
      return now;
    }
  }
}
