// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import org.netserv.cli.dashboard.DashboardServer;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "dashboard",
    description = {
      "Serve one page with live views of the node: modules and their traffic, what they count,",
      "refusals by reason, resources, top talkers. With --to, a map of the path to a user, by a",
      "PROBE at an interval. Prints the link that opens it. Read-only."
    },
    footer = {
      "",
      "Example:  netserv dashboard --port 8700 --to 198.51.100.7 --user janedoe --key janedoe.key"
    })
final class DashboardCommand extends ModuleMessage {
  @Option(
      names = "--every",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "Time between an answer to the map's PROBE and the next, 2-3600 (default 10).")
  int every;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "8700",
      description = "TCP port (default 8700); 0 = any.")
  int port;

  @Option(
      names = "--listen",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description = {
        "Address to listen at (default 127.0.0.1). The page comes without TLS: for another machine",
        "forward the port by ssh."
      })
  String listen;

  @Override
  public Integer call() throws Exception {
    InetAddress address = PathOptions.address("--listen", listen);
    if (port < 0 || port > 0xffff) {
      throw new CommandException(ExitCode.USAGE, "--port: " + port + " is not 0 to 65535");
    }
    if (path.local) {
      throw new CommandException(ExitCode.USAGE, "--local: the map is of a path");
    }
    if (!path.onPath()) {
      path.requireNone();
    }
    try (PathWatch watch = path.onPath() ? PathWatch.of(this, every) : null) {
      document(watch); // a node that is not there is told now
      serve(new InetSocketAddress(address, port), watch);
    }
    return ExitCode.DONE;
  }

  private void serve(InetSocketAddress address, PathWatch watch)
      throws CommandException, InterruptedException {
    try (DashboardServer server = new DashboardServer(address, () -> text(watch))) {
      if (watch != null) {
        watch.start();
      }
      ObjectNode link = MAPPER.createObjectNode().put("link", server.link());
      emit(link, () -> out().println(server.link()));
      out().flush();
      new CountDownLatch(1).await(); // until a signal ends the process
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.USAGE,
          "cannot listen at " + listen + " port " + port + ": " + e.getMessage(),
          e);
    }
  }

  /**
   * Returns the replies of the node as {@code node status}, {@code node top} and {@code node
   * talkers} print them, and the map.
   */
  private ObjectNode document(PathWatch watch) throws CommandException {
    ObjectNode document = MAPPER.createObjectNode().put("time", System.currentTimeMillis());
    try (AdminClient client = AdminClient.connect(paths)) {
      document.set("status", client.ask(AdminClient.request("status"), AdminClient.SHORT));
      document.set("counters", client.ask(AdminClient.request("counters"), AdminClient.SHORT));
      document.set(
          "talkers",
          client.ask(NodeTalkers.request(Integer.parseInt(NodeTalkers.PRESET)), AdminClient.SHORT));
    }
    document.set("path", map(watch));
    return document;
  }

  private static ObjectNode map(PathWatch watch) {
    return watch == null ? PathWatch.unasked() : watch.document();
  }

  private String text(PathWatch watch) {
    try {
      return document(watch).toString();
    } catch (CommandException e) {
      return MAPPER
          .createObjectNode()
          .put("time", System.currentTimeMillis())
          .put("error", e.getMessage())
          .set("path", map(watch))
          .toString();
    }
  }
}
