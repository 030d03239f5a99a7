// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A {@code netserv provider} on a node of a testbed, beside that node's Kamailio. */
public final class ProviderDaemon implements Closeable {
  private final Beside provider;

  private ProviderDaemon(Beside provider) {
    this.provider = provider;
  }

  /**
   * Prepares a provider: its directory, its key and the nodes that it knows.
   *
   * @param nodeIds of the nodes that it trusts
   */
  public static ProviderDaemon prepare(
      Testbed testbed, String node, LabPublisher publisher, List<String> nodeIds)
      throws IOException {
    Beside provider = new Beside(testbed, node, "provider", publisher, nodeIds);
    Path kamailio = testbed.state().resolve(node + "-kamailio/ctl");
    provider.section("kamailio: {socket: %s}%n".formatted(kamailio));
    return new ProviderDaemon(provider);
  }

  /** Adds a section to provider.yaml. */
  public void section(String yaml) throws IOException {
    provider.section(yaml);
  }

  /** Returns the directory of provider.yaml. */
  public Path directory() {
    return provider.directory();
  }

  /** Starts it by the launcher and waits until it answers and has reached Kamailio. */
  public void start() throws IOException {
    provider.start(status -> status.path("kamailio").asText().equals("connected"));
  }

  /** Returns the document of {@code netserv provider status --json}. */
  public JsonNode status() throws IOException {
    return provider.status();
  }

  /** Kills it without warning. */
  public void kill() throws IOException {
    provider.kill();
  }

  /** Asks it to end, and waits. */
  @Override
  public void close() throws IOException {
    provider.close();
  }
}
