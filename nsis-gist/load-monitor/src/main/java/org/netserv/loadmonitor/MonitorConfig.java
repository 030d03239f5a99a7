// SPDX-License-Identifier: Apache-2.0
package org.netserv.loadmonitor;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The monitor's file. Every key that is not here is an error. Times are in milliseconds, {@code
 * ttl} and {@code budget} in seconds.
 */
public record MonitorConfig(
    Publisher publisher,
    Server server,
    Module module,
    List<EdgeAddress> edges,
    PathRules path,
    Control control) {

  /** The publisher's name and the file of its private key. */
  public record Publisher(String name, Path key) {}

  /**
   * The server to watch.
   *
   * @param port its UDP port
   * @param pidFile of its main process; null = processor times are not known
   */
  public record Server(int port, @JsonProperty("pid-file") Path pidFile) {}

  /**
   * The module to deploy.
   *
   * @param bundle the signed bundle: its manifest has name and version
   * @param url address of the same file for the nodes
   * @param headers further headers of the SETUP, such as {@code filter-port}
   */
  public record Module(
      Path bundle,
      String url,
      int ttl,
      Map<String, String> headers,
      Map<String, String> properties) {

    public Module {
      headers = headers == null ? Map.of() : Map.copyOf(headers);
      properties = properties == null ? Map.of() : Map.copyOf(properties);
    }
  }

  /**
   * One edge.
   *
   * @param users an address behind it: the SETUP travels toward it
   * @param feedback address and port of the module's socket
   */
  public record EdgeAddress(String users, String feedback) {}

  /** Rules of the path: source address, seconds, TLS to the first node. */
  public record PathRules(
      String from,
      Integer budget,
      boolean tls,
      @JsonProperty("known-nodes") Path knownNodes,
      @JsonProperty("no-router-alert") boolean noRouterAlert) {}

  /**
   * Thresholds and times.
   *
   * @param sample between two looks at the server
   * @param feedback between two messages to an edge at most
   * @param validity of a message
   * @param delay goal for the wait in the server's socket
   * @param heavy delay above which the server is overloaded
   * @param calm time below capacity after which control ends
   * @param calmLoad percent of the capacity below which the load is calm
   * @param messageBytes memory that the kernel counts for a waiting message
   */
  public record Control(
      Integer sample,
      Integer feedback,
      Integer validity,
      Integer delay,
      Integer heavy,
      Integer calm,
      @JsonProperty("calm-load") Integer calmLoad,
      @JsonProperty("message-bytes") Integer messageBytes) {

    public Control {
      sample = among("sample", sample, 100, 20, 10_000);
      feedback = among("feedback", feedback, 500, 50, 10_000);
      validity = among("validity", validity, 2000, 100, 60_000);
      delay = among("delay", delay, 40, 1, 10_000);
      heavy = among("heavy", heavy, 100, 1, 60_000);
      calm = among("calm", calm, 5000, 100, 3_600_000);
      calmLoad = among("calm-load", calmLoad, 80, 1, 99);
      messageBytes = among("message-bytes", messageBytes, 1280, 256, 65_536);
    }

    private static int among(String name, Integer value, int absent, int least, int most) {
      int number = value == null ? absent : value;
      if (number < least || number > most) {
        throw new IllegalArgumentException(
            "control." + name + ": " + number + " is not between " + least + " and " + most);
      }
      return number;
    }
  }

  public MonitorConfig {
    require(publisher != null && publisher.name() != null, "publisher.name");
    require(publisher.key() != null, "publisher.key");
    require(server != null && server.port() > 0 && server.port() < 65_536, "server.port");
    require(module != null && module.bundle() != null, "module.bundle");
    require(module.url() != null, "module.url");
    require(module.ttl() >= 10, "module.ttl");
    require(edges != null && !edges.isEmpty() && edges.size() <= 256, "edges");
    edges = List.copyOf(edges);
    for (EdgeAddress edge : edges) {
      require(edge.users() != null, "edges.users");
      require(edge.feedback() != null, "edges.feedback");
    }
    path = path == null ? new PathRules(null, null, false, null, false) : path;
    control =
        control == null ? new Control(null, null, null, null, null, null, null, null) : control;
  }

  private static void require(boolean holds, String field) {
    if (!holds) {
      throw new IllegalArgumentException(field + ": missing or out of range");
    }
  }

  /**
   * Reads the file.
   *
   * @throws IOException naming the file and the key that is wrong
   */
  public static MonitorConfig read(Path file) throws IOException {
    ObjectMapper mapper =
        new ObjectMapper(new YAMLFactory())
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    try {
      return mapper.readValue(Files.readString(file), MonitorConfig.class);
    } catch (JsonProcessingException e) {
      Throwable cause = e.getCause() instanceof IllegalArgumentException ? e.getCause() : e;
      throw new IOException(file + ": " + cause.getMessage().lines().findFirst().orElse(""), e);
    }
  }
}
