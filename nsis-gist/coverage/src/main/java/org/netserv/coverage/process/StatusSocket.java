// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage.process;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import org.netserv.frames.FrameChannel;
import org.netserv.frames.FrameServer;
import org.netserv.frames.Json;
import org.netserv.frames.Peer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The socket in a state directory that tells the status of the process. */
public final class StatusSocket implements AutoCloseable {
  /** The socket's name in the state directory. */
  public static final String NAME = "status.sock";

  private static final Logger LOG = LoggerFactory.getLogger(StatusSocket.class);

  private final String build;
  private final String role;
  private final Source source;
  private FrameServer server;

  /** Makes the status. Called on the thread of a connection. */
  @FunctionalInterface
  public interface Source {
    ObjectNode status() throws IOException;
  }

  private StatusSocket(String build, String role, Source source) {
    this.build = build;
    this.role = role;
    this.source = source;
  }

  /**
   * Listens.
   *
   * @param state the state directory
   * @param build of this program, for the hello
   * @param role in the hello
   */
  public static StatusSocket listen(Path state, String build, String role, Source source)
      throws IOException {
    StatusSocket socket = new StatusSocket(build, role, source);
    socket.server = FrameServer.listen(state.resolve(NAME), "rw-rw----", -1, socket::serve);
    return socket;
  }

  private void serve(FrameChannel channel, Peer peer) throws IOException {
    channel.hello(build, Json.object().put("role", role));
    while (true) {
      ObjectNode request = channel.readJson();
      ObjectNode answer = Json.object();
      answer.set("id", request.path("id"));
      if (request.path("op").asText().equals("status")) {
        answer.put("ok", true).set("status", source.status());
      } else {
        answer.put("ok", false).put("error", "op: there is status alone");
      }
      channel.writeJson(answer);
    }
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      LOG.warn("{}: {}", NAME, e.getMessage());
    }
  }
}
