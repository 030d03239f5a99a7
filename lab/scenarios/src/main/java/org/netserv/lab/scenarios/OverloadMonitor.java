// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Wait;

/** {@code netserv provider overload} beside a server of the testbed overload. */
final class OverloadMonitor implements Closeable {
  private static final String LOG = "monitor";

  private final Testbed testbed;
  private final Process process;

  private OverloadMonitor(Testbed testbed, Process process) {
    this.testbed = testbed;
    this.process = process;
  }

  /**
   * Starts the monitor and waits until it looks at the server.
   *
   * @param address of the server
   */
  static OverloadMonitor start(Testbed testbed, SipServer server, String address)
      throws IOException {
    LabPublisher publisher = testbed.publisher(Stage.PUBLISHER);
    Bundle bundle = publisher.publish(LabHome.dist().resolve("apps/overload-control.jar"));
    Path config = testbed.state().resolve("overload.yaml");
    Files.writeString(
        config,
        """
        publisher: {name: %s, key: %s}
        server: {port: 5060, pid-file: %s}
        module:
          bundle: %s
          url: http://%s/%s
          ttl: 600
          headers: {filter-proto: udp, filter-match: "port 5060"}
        edges:
          - {users: 198.51.100.10, feedback: "10.1.0.2:5070"}
          - {users: 203.0.113.10, feedback: "10.2.0.2:5070"}
        path: {from: %s, budget: 90}
        control: {calm: 3000}
        """
            .formatted(
                publisher.name(),
                publisher.keyFile(),
                server.pidFile(),
                testbed.state().resolve("bundles").resolve(bundle.file()),
                address,
                bundle.file(),
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
    OverloadMonitor monitor = new OverloadMonitor(testbed, testbed.spawn("server", LOG, command));
    Wait.until(
        "the load monitor to be ready",
        Duration.ofSeconds(30),
        () -> monitor.tail(20).contains("state="));
    return monitor;
  }

  /** Returns how many edges turn requests away, by the monitor's log. */
  int edgesAtWork() throws IOException {
    String log = Files.readString(testbed.log("server", LOG));
    return log.contains("-> CONTROLLING") ? log.split("joined", -1).length - 1 : 0;
  }

  /** Returns the last lines of its log. */
  String tail(int lines) {
    return testbed.tail("server", LOG, lines);
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
