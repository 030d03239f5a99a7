// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Wait;

/** {@code netserv provider overload} beside a server of the testbed overload. */
public final class LoadMonitorDaemon implements Closeable {
  private static final String PUBLISHER = "sip";
  private static final List<String> EDGES = List.of("edge-a", "edge-b");

  /** Longest wait for the monitor's JVM and its PROBEs, which a loaded machine runs slowly. */
  private static final Duration READY = Duration.ofMinutes(2);

  /** Longest wait for a node's spare job. A machine that lacks a layer has none. */
  private static final Duration SPARE = Duration.ofMinutes(1);

  private static final long SPARE_STEP_MS = 200;

  private final Testbed testbed;
  private final String log;
  private final Process process;

  private LoadMonitorDaemon(Testbed testbed, String log, Process process) {
    this.testbed = testbed;
    this.log = log;
    this.process = process;
  }

  /**
   * Starts the monitor and waits until it looks at the server and knows the node on each path, and
   * until the edges have their spare jobs.
   *
   * @param name new, for its files
   * @param address of the server
   * @param tcp whether the server's load comes by TCP, of users that have the edges as proxies
   */
  public static LoadMonitorDaemon start(
      Testbed testbed, String name, SipServer server, String address, boolean tcp)
      throws IOException {
    LabPublisher publisher = testbed.publisher(PUBLISHER);
    Bundle bundle = publisher.publish(LabHome.dist().resolve("apps/overload-control.jar"));
    Path config = testbed.state().resolve(name + ".yaml");
    Files.writeString(
        config,
        """
        publisher: {name: %s, key: %s}
        server: {port: 5060, transport: %s, pid-file: %s}
        module:
          bundle: %s
          url: http://%s/%s
          ttl: 600
          headers: {filter-proto: udp, filter-match: "port 5060"}
          properties: {%s}
        edges:
          - {users: 198.51.100.10, feedback: "10.1.0.2:5070"}
          - {users: 203.0.113.10, feedback: "10.2.0.2:5070"}
        path: {from: %s, budget: 90}
        control: {calm: 3000}
        """
            .formatted(
                publisher.name(),
                publisher.keyFile(),
                tcp ? "tcp" : "udp",
                server.pidFile(),
                testbed.state().resolve("bundles").resolve(bundle.file()),
                address,
                bundle.file(),
                tcp ? "tcp-listen: \"5060\", tcp-server: \"" + address + ":5060\"" : "",
                address));
    List<String> command =
        List.of(
            LabHome.java().resolve("bin/java").toString(),
            "-XX:+UseSerialGC",
            "-Xmx128m",
            "-cp",
            LabHome.dist().resolve("cli") + "/*",
            "org.netserv.cli.Netserv",
            "provider",
            "overload",
            "--config",
            config.toString());
    LoadMonitorDaemon monitor =
        new LoadMonitorDaemon(testbed, name, testbed.spawn("server", name, command));
    Wait.until("the load monitor to be ready", READY, () -> monitor.count("there is ") >= 2);
    awaitSpares(testbed);
    return monitor;
  }

  private static void awaitSpares(Testbed testbed) throws IOException {
    long end = System.nanoTime() + SPARE.toNanos();
    for (String edge : EDGES) {
      while (spareJobs(testbed, edge) == 0 && System.nanoTime() - end < 0) {
        Wait.pause(SPARE_STEP_MS);
      }
    }
  }

  private static int spareJobs(Testbed testbed, String edge) throws IOException {
    try (NodeClient client = testbed.client(edge)) {
      return client.status().path("spareJobs").asInt();
    }
  }

  /** Returns how many edges turn requests away, by the monitor's log. */
  public int edgesAtWork() throws IOException {
    return count(" is at work");
  }

  private int count(String words) throws IOException {
    return Files.readString(testbed.log("server", log)).split(words, -1).length - 1;
  }

  /**
   * Waits until the monitor has found an overload and sends its SETUPs. Returns the milliseconds
   * that it took.
   *
   * @throws IOException if it finds none within so many seconds
   */
  public long awaitOverload(int seconds) throws IOException {
    return Wait.until(
        "the monitor to find the overload",
        Duration.ofSeconds(seconds),
        () -> count("IDLE -> ASKING") > 0);
  }

  /**
   * Waits until both edges turn requests away. Returns the milliseconds that it took.
   *
   * @throws IOException if they do not within so many seconds
   */
  public long awaitEdges(int seconds) throws IOException {
    return Wait.until(
        "both edges to be at work", Duration.ofSeconds(seconds), () -> edgesAtWork() >= 2);
  }

  /** Returns the last lines of its log. */
  public String tail(int lines) {
    return testbed.tail("server", log, lines);
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
