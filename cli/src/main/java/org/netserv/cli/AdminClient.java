// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import org.netserv.frames.FrameClient;
import org.netserv.frames.FrameException;
import org.netserv.frames.Json;

/** A connection to a node's admin socket; every failure becomes the exit status it stands for. */
final class AdminClient implements AutoCloseable {
  static final Duration SHORT = Duration.ofSeconds(10);

  private final FrameClient client;

  private AdminClient(FrameClient client) {
    this.client = client;
  }

  static AdminClient connect(Paths paths) throws CommandException {
    try {
      ObjectNode hello = Json.object().put("role", "admin");
      return new AdminClient(FrameClient.connect(paths.adminSocket(), Netserv.build(), hello));
    } catch (IOException e) {
      String text = "no node answers on " + paths.adminSocket() + ": " + e.getMessage();
      throw new CommandException(ExitCode.NO_NODE, text + " (start one with: netserv node run)", e);
    }
  }

  /** One connection for one request. */
  static ObjectNode ask(Paths paths, ObjectNode request, Duration timeout) throws CommandException {
    try (AdminClient client = connect(paths)) {
      return client.ask(request, timeout);
    }
  }

  static ObjectNode request(String op) {
    return Json.object().put("op", op);
  }

  /** The reply to one request; a reply with ok=false is a refusal. */
  ObjectNode ask(ObjectNode request, Duration timeout) throws CommandException {
    ObjectNode reply = exchange(request, timeout);
    if (!reply.path("ok").asBoolean()) {
      throw new CommandException(ExitCode.REFUSED, reply.path("error").asText("refused"));
    }
    reply.remove("id");
    reply.remove("ok");
    return reply;
  }

  private ObjectNode exchange(ObjectNode request, Duration timeout) throws CommandException {
    try {
      return client.request(request, timeout);
    } catch (FrameException e) {
      int code = e.reason() == FrameException.Reason.TIMEOUT ? ExitCode.TIMEOUT : ExitCode.NO_NODE;
      throw new CommandException(code, "the node did not answer: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.NO_NODE, "the connection to the node ended: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    try {
      client.close();
    } catch (IOException e) {
      // Everything that was to be said has been said.
      return;
    }
  }
}
