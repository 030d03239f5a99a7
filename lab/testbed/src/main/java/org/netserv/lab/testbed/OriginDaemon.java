// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.base.LabHome;

/** A {@code netserv origin} on a node of a testbed, beside that node's web server. */
public final class OriginDaemon implements Closeable {
  private final Beside origin;

  private OriginDaemon(Beside origin) {
    this.origin = origin;
  }

  /**
   * Prepares a director: its directory, its key, the nodes that it knows, and a city database of
   * the lab's.
   *
   * @param nodes that it trusts
   * @param settings further lines of origin.yaml
   */
  public static OriginDaemon prepare(
      Testbed testbed, String node, LabPublisher publisher, List<String> nodes, String settings)
      throws IOException {
    return prepare(testbed, node, publisher, nodes, "{}", settings);
  }

  private static OriginDaemon prepare(
      Testbed testbed,
      String node,
      LabPublisher publisher,
      List<String> nodes,
      String sealed,
      String settings)
      throws IOException {
    Bundle bundle = publisher.publish(LabHome.dist().resolve("apps/activecdn.jar"));
    List<String> ids = new ArrayList<>();
    for (String name : nodes) {
      try (NodeClient client = testbed.client(name)) {
        ids.add(client.status().path("nodeId").asText());
      }
    }
    Beside origin = new Beside(testbed, node, "origin", publisher, ids);
    Path bundles = testbed.state().resolve("bundles");
    origin.section(
        """
        places: city.mmdb
        module:
          bundle: %s
          url: http://192.0.2.10:8082/%s
          ttl: 60
          properties: {origin: "192.0.2.10:8081"}
          sealed: %s
        """
            .formatted(bundles.resolve(bundle.file()), bundle.file(), sealed));
    origin.section(settings);
    OriginDaemon daemon = new OriginDaemon(origin);
    testbed.run(
        node,
        LabHome.home().resolve("netserv").toString(),
        "origin",
        "places",
        LabHome.file("nginx/places.csv").toString(),
        "--out",
        daemon.places().toString());
    return daemon;
  }

  /**
   * Prepares it anew with TLS at the edges. It asks them by https, with certificates of {@code
   * keys}.
   *
   * @param keys of the edges, which get them sealed
   */
  public static OriginDaemon secure(
      Testbed testbed,
      String node,
      LabPublisher publisher,
      List<String> nodes,
      EdgeKeys keys,
      String settings)
      throws IOException {
    OriginDaemon daemon = prepare(testbed, node, publisher, nodes, keys.sealed(), settings);
    daemon.origin.options(keys.trust());
    return daemon;
  }

  /** Returns the file of the city database. */
  public Path places() {
    return origin.directory().resolve("city.mmdb");
  }

  /** Replaces the city database. */
  public void places(byte[] content) throws IOException {
    Files.delete(places());
    Files.write(places(), content);
  }

  /** Starts it by the launcher and waits until it answers. */
  public void start() throws IOException {
    origin.start(status -> status.has("counters"));
  }

  /** Returns the document of {@code netserv origin status --json}. */
  public JsonNode status() throws IOException {
    return origin.status();
  }

  /** Returns one of its counters; -1 = there is none of that name. */
  public long counter(String name) throws IOException {
    return status().path("counters").path(name).asLong(-1);
  }

  /** Kills it without warning. */
  public void kill() throws IOException {
    origin.kill();
  }

  /** Asks it to end, and waits. */
  @Override
  public void close() throws IOException {
    origin.close();
  }
}
