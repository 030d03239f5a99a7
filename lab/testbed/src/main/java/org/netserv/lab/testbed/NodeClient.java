// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.netserv.frames.FrameClient;
import org.netserv.frames.Json;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmText;

/** A client of a node's admin socket: one request, one reply. See docs/protocols/admin.md. */
public final class NodeClient implements Closeable {
  private static final Duration SHORT = Duration.ofSeconds(10);
  private static final Duration LONG = Duration.ofSeconds(90);

  private final FrameClient client;

  private NodeClient(FrameClient client) {
    this.client = client;
  }

  /** Connects to the node below this root directory. */
  public static NodeClient connect(Path root) throws IOException {
    Path socket = root.resolve("run/netserv/admin.sock");
    return new NodeClient(FrameClient.connect(socket, "lab", Json.object().put("role", "admin")));
  }

  /** A node's answer to an NCM. */
  public record Answer(int status, String header, String reason) {
    public boolean running() {
      return status == 200;
    }

    /** Returns true if the bundle is kept for a later SETUP. */
    public boolean fetched() {
      return status == 201;
    }

    @Override
    public String toString() {
      return status + (header.isEmpty() ? "" : " " + header + ":") + " " + reason;
    }
  }

  /** Sends an NCM and waits for its end state. */
  public Answer ncm(Ncm ncm) throws IOException {
    return ncm(NcmText.print(ncm));
  }

  /** Sends a text, which may be an NCM or not. */
  public Answer ncm(String text) throws IOException {
    ObjectNode reply =
        ask(
            Json.object()
                .put("op", "ncm")
                .put("ncm", text)
                .put("wait", LONG.minusSeconds(10).toMillis()),
            LONG);
    return new Answer(
        reply.path("status").asInt(),
        reply.path("header").asText(""),
        reply.path("reason").asText(""));
  }

  /** Sends a PROBE and returns the node's data. */
  public JsonNode data(Ncm probe) throws IOException {
    return ask(Json.object().put("op", "ncm").put("ncm", NcmText.print(probe)), SHORT).path("data");
  }

  /** Makes the node read its policy again. */
  public void reload() throws IOException {
    ask(Json.object().put("op", "reload"), SHORT);
  }

  public ObjectNode status() throws IOException {
    return ask(Json.object().put("op", "status"), SHORT);
  }

  public ObjectNode counters(String publisher) throws IOException {
    return ask(Json.object().put("op", "counters").put("publisher", publisher), SHORT);
  }

  /** Returns the counters of nsis-gist by group, at most two seconds old. */
  public JsonNode signaling() throws IOException {
    return ask(Json.object().put("op", "counters"), SHORT).path("signaling");
  }

  public ObjectNode why(String publisher, String module) throws IOException {
    return ask(
        Json.object().put("op", "why").put("publisher", publisher).put("module", module), SHORT);
  }

  /** Returns the rules of a service router for a serviceID, by 1 to 64 digits. */
  public ObjectNode rules(String publisher, String module, String service) throws IOException {
    ObjectNode request = Json.object().put("op", "rules").put("service", service);
    return ask(request.put("publisher", publisher).put("module", module), SHORT);
  }

  /** Lets a quarantined module run again. */
  public ObjectNode release(String publisher, String module) throws IOException {
    return ask(
        Json.object().put("op", "release").put("publisher", publisher).put("module", module), LONG);
  }

  private ObjectNode ask(ObjectNode request, Duration most) throws IOException {
    ObjectNode reply = client.request(request, most);
    if (!reply.path("ok").asBoolean()) {
      throw new IOException(
          request.path("op").asText() + " refused: " + reply.path("error").asText());
    }
    return reply;
  }

  @Override
  public void close() throws IOException {
    client.close();
  }
}
