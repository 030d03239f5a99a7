// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.frames.FrameClient;
import org.netserv.frames.FrameException;
import org.netserv.frames.Json;

/**
 * A connection to a node's admin socket. Every failure becomes the exit status that it stands for.
 */
final class AdminClient implements AutoCloseable {
  private static final int TRIES = 7;
  private static final long PAUSE_MILLIS = 500;

  static final Duration SHORT = Duration.ofSeconds(10);

  private final FrameClient client;

  private AdminClient(FrameClient client) {
    this.client = client;
  }

  static AdminClient connect(Paths paths) throws CommandException {
    for (int tries = 1; ; tries++) {
      try {
        ObjectNode hello = Json.object().put("role", "admin");
        return new AdminClient(
            FrameClient.connect(paths.adminSocket(), BuildVersion.build(), hello));
      } catch (IOException e) {
        if (tries == TRIES || !busy(e)) {
          throw explain(paths.adminSocket(), e);
        }
        pause();
      }
    }
  }

  /**
   * Returns true if the node closed the connection because it has no place for it. Idle connections
   * give way after a moment.
   */
  private static boolean busy(IOException e) {
    return e instanceof FrameException frame
        ? frame.reason() == FrameException.Reason.CLOSED
        : String.valueOf(e.getMessage()).matches("Broken pipe|Connection reset.*");
  }

  private static void pause() throws CommandException {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException(ExitCode.TIMEOUT, "interrupted", e);
    }
  }

  /**
   * Turns a failed connection into an exit status. A node that runs is never reported as absent.
   */
  static CommandException explain(Path socket, IOException e) {
    String said = String.valueOf(e.getMessage());
    if (said.equals("Permission denied")) {
      return new CommandException(
          ExitCode.REFUSED,
          "permission denied on " + socket + ": run as root, or join the group of that socket",
          e);
    }
    if (busy(e)) {
      return new CommandException(
          ExitCode.REFUSED,
          "the node on " + socket + " is busy: too many connections of this user; try again",
          e);
    }
    if (e instanceof FrameException) {
      return new CommandException(
          ExitCode.REFUSED, "the node on " + socket + " speaks otherwise: " + said, e);
    }
    return new CommandException(
        ExitCode.NO_NODE,
        "no node answers on " + socket + ": " + said + " (start one with: netserv node run)",
        e);
  }

  /** Opens a connection for one request. */
  static ObjectNode ask(Paths paths, ObjectNode request, Duration timeout) throws CommandException {
    try (AdminClient client = connect(paths)) {
      return client.ask(request, timeout);
    }
  }

  static ObjectNode request(String op) {
    return Json.object().put("op", op);
  }

  /** Sends one request and returns its reply. A reply with ok=false is a refusal. */
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
      // The command has its reply already.
      return;
    }
  }
}
