// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Map;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.tool.Crowd;
import org.netserv.lab.testbed.tool.WebOrigin;

/**
 * A flash crowd: 5,000 users of one region ask for ten new objects within ten seconds, of a web
 * server far away, and then of ActiveCDN beside them. A few users of other objects come before
 * them. Each must get each byte. The cache must take all but 1 % of the bytes from the web server.
 * The times to the first byte are shown beside their goal and decide nothing, because the machine
 * may be loaded.
 */
public final class FlashCrowd implements Scenario {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int CLIENTS = 5_000;
  private static final int FEW = 500;
  private static final int SECONDS = 10;
  private static final int OBJECTS = 10;
  private static final int PORT = 8080;
  private static final double MOST_PERCENT = 1;
  private static final int GOAL_MILLIS = 20;
  private static final String ORIGIN = "192.0.2.10";
  private static final String EDGE = "10.1.0.1";

  private final ResultTable table =
      new ResultTable("asked", "whole", "wrong", "failed", "median ms", "p99 ms", "sent MB", "");
  private Stage stage;
  private Testbed testbed;
  private boolean holds = true;
  private long tail; // of the last crowd: microseconds to the first byte of 99 %

  @Override
  public String topology() {
    return "flash-crowd";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    Process origin = testbed.spawnTool("server", "origin", WebOrigin.class, PORT);
    String count = "curl -fsS http://" + ORIGIN + ":" + PORT + "/count || true";
    Wait.until(
        "the origin",
        PATIENCE,
        () -> testbed.run("user", "timeout", "20", "sh", "-c", count).strip().equals("0"));
    stage.step(CLIENTS + " users of the web server alone");
    crowd("the web server, before", ORIGIN, PORT, FEW);
    long alone = crowd("the web server", ORIGIN, PORT, CLIENTS);
    stage.step("SETUP of the cache");
    setUp();
    stage.step(CLIENTS + " users of the cache");
    crowd("the cache, before", EDGE, 80, FEW);
    long cached = crowd("the cache", EDGE, 80, CLIENTS);
    origin.destroy();
    double percent = 100.0 * cached / alone;
    boolean few = percent <= MOST_PERCENT;
    holds &= few;
    stage.show(table);
    stage.show(
        new ResultTable("behind the cache", "", "goal", "")
            .row(
                "bytes of the web server",
                "%.2f %%".formatted(percent),
                "1 %",
                few ? "ok" : "WRONG")
            .row(
                "first byte after, 99 %",
                millis(tail) + " ms",
                GOAL_MILLIS + " ms",
                tail <= 1_000L * GOAL_MILLIS ? "met" : "missed"));
    return holds;
  }

  /** Lets the crowd come, and returns the bytes that the web server has sent meanwhile. */
  private long crowd(String name, String address, int port, int clients) throws IOException {
    long before = sent();
    Tool tool =
        Tool.start(
            testbed,
            "user",
            stage.unique("crowd"),
            Crowd.class,
            address,
            port,
            clients,
            SECONDS,
            OBJECTS,
            "/fast/" + clients + "-");
    Map<String, Long> result = tool.result(120);
    long bytes = sent() - before;
    boolean all = result.get("whole") == clients;
    holds &= all;
    tail = result.get("tail");
    table.row(
        name,
        result.get("whole"),
        result.get("wrong"),
        result.get("failed"),
        millis(result.get("median")),
        millis(tail),
        "%.1f".formatted(bytes / 1e6),
        all ? "ok" : "WRONG");
    return bytes;
  }

  private static String millis(long micros) {
    return "%.1f".formatted(micros / 1e3);
  }

  /** Returns the bytes that the web server's interface has sent, with all headers. */
  private long sent() throws IOException {
    String command = "ip -s link show dev eth0 | grep -A 1 TX: | tail -n 1";
    String line = testbed.run("server", "sh", "-c", command).strip();
    return Long.parseLong(line.split(" +", 2)[0]);
  }

  private void setUp() throws IOException {
    LabPublisher publisher = testbed.publisher(Stage.PUBLISHER);
    Bundle bundle = publisher.publish(LabHome.dist().resolve("apps/activecdn.jar"));
    Map<String, String> properties =
        Map.of(
            "origin",
            ORIGIN + ":" + PORT,
            "connections",
            "8000",
            "connections-per-address",
            "8000",
            "origin-ready",
            "" + OBJECTS);
    InetAddress server = stage.server(false);
    try (NodeClient client = testbed.client("node")) {
      var answer = client.ncm(publisher.setup(bundle, server, server, Map.of(), properties));
      if (!answer.running()) {
        throw new LabException("SETUP of the cache: " + answer);
      }
    }
  }
}
