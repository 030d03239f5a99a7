// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.web;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Wait;

/**
 * An nginx that serves so many requests a second and lets the others wait. Its pace makes the rate
 * of a service a matter of the number of its instances, and not of the machine.
 */
public final class PacedWeb {
  public static final int PORT = 8080;
  public static final int BYTES = 1000;
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Testbed testbed;
  private final String node;
  private final Path settings;
  private final Tool nginx;

  private PacedWeb(Testbed testbed, String node, Path settings, Tool nginx) {
    this.testbed = testbed;
    this.node = node;
    this.settings = settings;
    this.nginx = nginx;
  }

  /** Starts an instance on a node of its own name, and waits until it listens. */
  public static PacedWeb start(Testbed testbed, String node, int perSecond) throws IOException {
    Path directory = Files.createDirectories(testbed.state().resolve("web-" + node));
    Files.writeString(
        Files.createDirectories(directory.resolve("www")).resolve("file"), "x".repeat(BYTES));
    Path settings = directory.resolve("paced.conf");
    Files.writeString(
        settings,
        Files.readString(LabHome.file("nginx/paced.conf"))
            .replace("@DIR@", directory.toString())
            .replace("@NAME@", node)
            .replace("@PORT@", Integer.toString(PORT))
            .replace("@RATE@", Integer.toString(perSecond)));
    PacedWeb web =
        new PacedWeb(
            testbed,
            node,
            settings,
            Tool.start(testbed, node, testbed.unique("nginx"), command(settings)));
    Wait.until("nginx of " + node, PATIENCE, web::listens);
    return web;
  }

  private static List<String> command(Path settings) {
    return List.of("nginx", "-e", "stderr", "-c", settings.toString());
  }

  private boolean listens() throws IOException {
    return !testbed.run(node, "ss", "-Hltn", "sport = :" + PORT).isBlank();
  }

  /** Has it end gracefully: it takes no new connection, and serves the ones that it has. */
  public void quit() throws IOException {
    testbed.run(node, "nginx", "-e", "stderr", "-c", settings.toString(), "-s", "quit");
  }

  /** Ends it and its worker by kill -9, the parent first, so that it starts no other worker. */
  public void kill() throws IOException {
    List<ProcessHandle> workers = nginx.process().descendants().toList();
    nginx.process().destroyForcibly();
    workers.forEach(ProcessHandle::destroyForcibly);
    Wait.until(
        "the end of nginx",
        PATIENCE,
        () -> !nginx.running() && workers.stream().noneMatch(ProcessHandle::isAlive));
  }
}
