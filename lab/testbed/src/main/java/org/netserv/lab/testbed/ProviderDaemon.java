// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.netserv.frames.FrameClient;
import org.netserv.frames.Json;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Wait;

/** A {@code netserv provider} on a node of a testbed, beside that node's Kamailio. */
public final class ProviderDaemon implements Closeable {
  private static final Duration START = Duration.ofSeconds(60);
  private static final Duration PATIENCE = Duration.ofSeconds(15);
  private static final Duration END = Duration.ofSeconds(15);

  private final Testbed testbed;
  private final String node;
  private final Path directory;
  private Process process;

  private ProviderDaemon(Testbed testbed, String node, Path directory) {
    this.testbed = testbed;
    this.node = node;
    this.directory = directory;
  }

  /**
   * Prepares a provider: its directory, its key and the nodes that it knows.
   *
   * @param nodeIds of the nodes that it trusts
   */
  public static ProviderDaemon prepare(
      Testbed testbed, String node, LabPublisher publisher, List<String> nodeIds)
      throws IOException {
    Path directory = Files.createDirectories(testbed.state().resolve(node + "-provider"));
    Files.writeString(directory.resolve("nodes"), String.join("\n", nodeIds) + "\n");
    ProviderDaemon daemon = new ProviderDaemon(testbed, node, directory);
    daemon.head(publisher);
    return daemon;
  }

  private void head(LabPublisher publisher) throws IOException {
    String kamailio = testbed.state().resolve(node + "-kamailio/ctl").toString();
    write(
        """
        publisher: {name: %s, key: %s}
        known-nodes: {file: nodes}
        state: state
        kamailio: {socket: %s}
        """
            .formatted(publisher.name(), publisher.keyFile(), kamailio));
  }

  private void write(String text) throws IOException {
    Files.writeString(config(), text);
  }

  /** Adds a section to provider.yaml. */
  public void section(String yaml) throws IOException {
    write(Files.readString(config()) + yaml);
  }

  /** Returns the directory of provider.yaml. */
  public Path directory() {
    return directory;
  }

  private Path config() {
    return directory.resolve("provider.yaml");
  }

  /** Starts it by the launcher and waits until it answers. */
  public void start() throws IOException {
    process =
        testbed.spawn(
            node,
            "provider",
            List.of(
                LabHome.home().resolve("netserv").toString(),
                "provider",
                "run",
                "--config",
                config().toString()));
    Wait.until(
        "the provider on " + node + " to answer",
        START,
        () -> {
          if (!process.isAlive()) {
            throw new LabException("the provider ended:\n" + testbed.tail(node, "provider", 15));
          }
          return answers();
        });
  }

  private boolean answers() {
    try {
      return status().path("kamailio").asText().equals("connected");
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns the document of {@code netserv provider status --json}. */
  public JsonNode status() throws IOException {
    ObjectNode hello = Json.object().put("role", "status");
    Path socket = directory.resolve("state/status.sock");
    try (FrameClient client = FrameClient.connect(socket, "lab", hello)) {
      return client.request(Json.object().put("op", "status"), PATIENCE).path("status");
    }
  }

  /** Kills it without warning. */
  public void kill() throws IOException {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    ended();
  }

  private void ended() throws IOException {
    Wait.until("the provider on " + node + " to end", END, () -> !process.isAlive());
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
