// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.Namespaces;
import org.netserv.lab.testbed.tool.PathClient;

/**
 * A publisher's server inside a node of a testbed. It is a {@link PathClient}, which sends one
 * message at a time along the path to a user with the publisher's library.
 */
public final class PathPublisher implements Closeable {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Time to wait beyond a message's own time, for the start of the program and a busy machine. */
  private static final int GRACE_SECONDS = 60;

  private final Process process;
  private final BufferedWriter requests;
  private final BufferedReader answers;
  private final String description;

  private PathPublisher(Process process, String description) {
    this.process = process;
    this.requests = process.outputWriter(StandardCharsets.UTF_8);
    this.answers = process.inputReader(StandardCharsets.UTF_8);
    this.description = description;
  }

  /** Starts the program inside a node. */
  public static PathPublisher start(Testbed testbed, String node, LabPublisher publisher)
      throws IOException {
    List<String> program = Testbed.tool(PathClient.class, publisher.name(), publisher.keyFile());
    return new PathPublisher(
        testbed.converse(node, "publisher", program), "the publisher's program on " + node);
  }

  /** Starts the program inside a node for delegates ({@link #delegate}). */
  public static PathPublisher delegates(Testbed testbed, String node) throws IOException {
    List<String> program = Testbed.tool(PathClient.class);
    return new PathPublisher(
        testbed.converse(node, "delegate", program), "the delegate's program on " + node);
  }

  /**
   * Signs as a delegate from now on.
   *
   * @param delegation file with the delegation
   * @param key file with the private key, which need not be the delegate's
   */
  public void delegate(Path delegation, Path key) throws IOException {
    ObjectNode request = JSON.createObjectNode().put("op", "delegate");
    ask(request.put("delegation", delegation.toString()).put("key", key.toString()), 0);
  }

  /** Starts the program without a publisher's name, so that it can only probe as a stranger. */
  public static PathPublisher stranger(String lab, String node) throws IOException {
    List<String> program = Namespaces.enter(lab, node, Testbed.tool(PathClient.class));
    Process process =
        new ProcessBuilder(program).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    return new PathPublisher(process, "the stranger's program on " + node);
  }

  /**
   * A path's answer to a message.
   *
   * @param end reason why the path ended: {@code port-unreachable}, {@code timed-out}, ...
   * @param nodes in path order
   * @param far for a TRIGGER the answer to the message inside; else null
   */
  public record Reply(String end, String reason, List<Entry> nodes, Reply far) {
    private static final Set<String> ENDS =
        Set.of("endpoint", "port-unreachable", "endpoint-found", "no-answer");

    /** Returns true if the path is known to its end. */
    public boolean whole() {
      return ENDS.contains(end);
    }

    /**
     * Combines this reply with the former reply to the same message. A node that obeyed the first
     * time may have nothing left to do the second time, which is no refusal.
     */
    public Reply after(Reply former) {
      List<Entry> both = nodes.stream().map(entry -> former.done(entry)).toList();
      return new Reply(end, reason, both, far);
    }

    private Entry done(Entry again) {
      return nodes.stream()
          .filter(entry -> entry.nodeId().equals(again.nodeId()) && entry.status() == 200)
          .findFirst()
          .orElse(again);
    }

    @Override
    public String toString() {
      return end + (reason.isEmpty() ? "" : " (" + reason + ")") + " " + nodes;
    }
  }

  /** One node's entry of the response stack. */
  public record Entry(String nodeId, String address, int status, String data, String signer) {
    public boolean verified() {
      return signer.equals("VERIFIED");
    }

    @Override
    public String toString() {
      return "%d from %s (%s) %s".formatted(status, address, signer, data);
    }
  }

  /** Sets the nodes that the publisher knows. Their answers count as verified from now on. */
  public void known(Collection<String> nodeIds) throws IOException {
    ObjectNode request = JSON.createObjectNode().put("op", "known");
    nodeIds.forEach(request.putArray("ids")::add);
    ask(request, 0);
  }

  /** The destination of a message, and the seconds that the whole path may take. */
  public record Route(InetAddress to, int budget) {}

  /** Sends a SETUP of a bundle with these headers and a TTL. */
  public Reply setup(Bundle bundle, Route route, Map<String, String> headers) throws IOException {
    return reply(setupRequest("setup", bundle, route, headers), route);
  }

  /** Sends a TRIGGER with a SETUP inside. The flow of that SETUP comes back to {@code backTo}. */
  public Reply trigger(Bundle bundle, Route route, InetAddress backTo, Map<String, String> headers)
      throws IOException {
    ObjectNode request = setupRequest("trigger", bundle, route, headers);
    request.put("inner", "setup").put("backTo", backTo.getHostAddress());
    return reply(request, route);
  }

  /** Sends a TRIGGER with a REMOVE of all modules inside, and further headers of the REMOVE. */
  public Reply triggerRemove(Route route, InetAddress backTo, Map<String, String> headers)
      throws IOException {
    ObjectNode request = request("trigger", "*", route);
    headers.forEach(request.putObject("headers")::put);
    request.put("inner", "remove").put("backTo", backTo.getHostAddress());
    return reply(request, route);
  }

  /** Sends a REMOVE of a module, or of all modules if the name is {@code *}. */
  public Reply remove(String module, Route route) throws IOException {
    return reply(request("remove", module, route), route);
  }

  /** Sends a PROBE about the nodes themselves. */
  public Reply probe(Route route) throws IOException {
    ObjectNode request = request("probe", "*", route);
    request.putObject("headers").put("probe", "node");
    return reply(request, route);
  }

  /** Sends a SETUP from one of several addresses of the node. */
  public Reply setup(Bundle bundle, InetAddress from, Route route, Map<String, String> headers)
      throws IOException {
    ObjectNode request = setupRequest("setup", bundle, route, headers);
    return reply(request.put("from", from.getHostAddress()), route);
  }

  private static ObjectNode setupRequest(
      String op, Bundle bundle, Route route, Map<String, String> headers) {
    ObjectNode request = request(op, bundle.module(), route).put("version", bundle.version());
    ObjectNode all = request.putObject("headers").put("digest", bundle.digest());
    headers.forEach(all::put);
    return request;
  }

  private static ObjectNode request(String op, String name, Route route) {
    return JSON.createObjectNode()
        .put("op", op)
        .put("name", name)
        .put("to", route.to().getHostAddress())
        .put("budget", route.budget());
  }

  private Reply reply(ObjectNode request, Route route) throws IOException {
    return read(ask(request, route.budget()));
  }

  private static Reply read(JsonNode answer) {
    List<Entry> nodes = new ArrayList<>();
    answer
        .path("nodes")
        .forEach(
            node ->
                nodes.add(
                    new Entry(
                        node.path("nodeId").asText(),
                        node.path("address").asText(),
                        node.path("status").asInt(),
                        node.path("data").asText(),
                        node.path("signer").asText())));
    Reply far = answer.has("far") ? read(answer.path("far")) : null;
    return new Reply(
        answer.path("end").asText(), answer.path("reason").asText(""), List.copyOf(nodes), far);
  }

  private JsonNode ask(ObjectNode request, int seconds) throws IOException {
    requests.write(request.toString());
    requests.newLine();
    requests.flush();
    CompletableFuture<String> line = CompletableFuture.supplyAsync(this::line);
    try {
      String answer = line.get(seconds + (long) GRACE_SECONDS, TimeUnit.SECONDS);
      if (answer.isEmpty()) {
        throw new LabException(description + " ended at: " + request);
      }
      JsonNode read = JSON.readTree(answer);
      if (read.has("error")) {
        throw new LabException(description + ": " + read.path("error").asText());
      }
      return read;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LabException("interrupted");
    } catch (ExecutionException e) {
      throw new LabException(description + ": " + e.getCause().getMessage());
    } catch (TimeoutException e) {
      process.destroyForcibly();
      throw new LabException(description + " does not answer to: " + request);
    }
  }

  /** Returns the next line, or an empty string at the end. */
  private String line() {
    try {
      String line = answers.readLine();
      return line == null ? "" : line;
    } catch (IOException e) {
      return "";
    }
  }

  @Override
  public void close() throws IOException {
    process.destroy();
  }
}
