// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.netserv.frames.FrameClient;
import org.netserv.frames.Json;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Wait;

/** A process of a publisher's beside its server: {@code netserv NAME run}. */
final class Beside implements Closeable {
  private static final Duration START = Duration.ofSeconds(60);
  private static final Duration PATIENCE = Duration.ofSeconds(15);
  private static final Duration END = Duration.ofSeconds(15);

  private final Testbed testbed;
  private final String node;
  private final String name;
  private final Path directory;
  private final List<String> environment = new ArrayList<>();
  private Process process;

  /**
   * Makes a directory with the key of the publisher and the nodes that it knows.
   *
   * @param name of the command, and of its settings' file
   * @param nodeIds of the nodes that it trusts
   */
  Beside(Testbed testbed, String node, String name, LabPublisher publisher, List<String> nodeIds)
      throws IOException {
    this.testbed = testbed;
    this.node = node;
    this.name = name;
    this.directory = Files.createDirectories(testbed.state().resolve(node + "-" + name));
    Files.writeString(directory.resolve("nodes"), String.join("\n", nodeIds) + "\n");
    Files.writeString(
        config(),
        """
        publisher: {name: %s, key: %s}
        known-nodes: {file: nodes}
        state: state
        """
            .formatted(publisher.name(), publisher.keyFile()));
  }

  /** Adds a section to the settings. */
  void section(String yaml) throws IOException {
    Files.writeString(config(), Files.readString(config()) + yaml);
  }

  /** Sets options of its JVM. */
  void options(String options) {
    environment.add("JAVA_TOOL_OPTIONS=" + options);
  }

  Path directory() {
    return directory;
  }

  private Path config() {
    return directory.resolve(name + ".yaml");
  }

  /** Starts it by the launcher and waits until its status is a wanted one. */
  void start(Predicate<JsonNode> wanted) throws IOException {
    String launcher = LabHome.home().resolve("netserv").toString();
    List<String> command = new ArrayList<>(List.of("env"));
    command.addAll(environment);
    command.addAll(List.of(launcher, name, "run", "--config", config().toString()));
    process = testbed.spawn(node, name, command);
    Wait.until(
        "netserv " + name + " on " + node + " to answer",
        START,
        () -> {
          if (!process.isAlive()) {
            String log = testbed.tail(node, name, 15);
            throw new LabException("netserv " + name + " has ended:\n" + log);
          }
          return answers(wanted);
        });
  }

  private boolean answers(Predicate<JsonNode> wanted) {
    try {
      return wanted.test(status());
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns the document of {@code netserv NAME status --json}. */
  JsonNode status() throws IOException {
    ObjectNode hello = Json.object().put("role", "status");
    Path socket = directory.resolve("state/status.sock");
    try (FrameClient client = FrameClient.connect(socket, "lab", hello)) {
      return client.request(Json.object().put("op", "status"), PATIENCE).path("status");
    }
  }

  /** Kills it without warning. */
  void kill() throws IOException {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    ended();
  }

  private void ended() throws IOException {
    Wait.until("netserv " + name + " on " + node + " to end", END, () -> !process.isAlive());
  }

  /** Asks it to end, and waits. */
  @Override
  public void close() throws IOException {
    if (process != null && process.isAlive()) {
      process.descendants().forEach(ProcessHandle::destroy);
      process.destroy();
      ended();
    }
  }
}
