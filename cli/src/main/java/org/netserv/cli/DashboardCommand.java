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
import org.netserv.command.JsonCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "dashboard",
    description = {
      "Serve one page with live views of the node: modules and their traffic, what they count,",
      "refusals by reason, resources. Prints the link that opens it. Read-only."
    },
    footer = {"", "Example:  netserv dashboard --port 8700"})
final class DashboardCommand extends JsonCommand {
  @Mixin Paths paths;

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
    ask(); // a node that is not there is told now
    try (DashboardServer server =
        new DashboardServer(new InetSocketAddress(address, port), this::document)) {
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
    return ExitCode.DONE;
  }

  /** Returns both replies of the node, as {@code node status} and {@code node top} print them. */
  private ObjectNode ask() throws CommandException {
    ObjectNode document = MAPPER.createObjectNode().put("time", System.currentTimeMillis());
    try (AdminClient client = AdminClient.connect(paths)) {
      document.set("status", client.ask(AdminClient.request("status"), AdminClient.SHORT));
      document.set("counters", client.ask(AdminClient.request("counters"), AdminClient.SHORT));
    }
    return document;
  }

  private String document() {
    try {
      return ask().toString();
    } catch (CommandException e) {
      return MAPPER
          .createObjectNode()
          .put("time", System.currentTimeMillis())
          .put("error", e.getMessage())
          .toString();
    }
  }
}
