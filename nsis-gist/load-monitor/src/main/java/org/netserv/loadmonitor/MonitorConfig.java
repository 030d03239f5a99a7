// SPDX-License-Identifier: Apache-2.0
package org.netserv.loadmonitor;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
  private static final String UDP = "udp";
  private static final String TCP = "tcp";

  /** The publisher's name and the file of its private key. */
  public record Publisher(String name, Path key) {}

  /**
   * The server to watch.
   *
   * @param port its port
   * @param transport by which its load comes, udp or tcp; null = udp
   * @param pidFile of its main process; null = processor times are not known
   */
  public record Server(int port, String transport, @JsonProperty("pid-file") Path pidFile) {

    public Server {
      transport = transport == null ? UDP : transport;
      require(transport.equals(UDP) || transport.equals(TCP), "server.transport");
    }

    /** Tells whether the server's load comes by TCP. */
    boolean isTcp() {
      return transport.equals(TCP);
    }
  }

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
   * @param heavyBytes bytes waiting in the connections of a server by TCP that overload it
   */
  public record Control(
      Integer sample,
      Integer feedback,
      Integer validity,
      Integer delay,
      Integer heavy,
      Integer calm,
      @JsonProperty("calm-load") Integer calmLoad,
      @JsonProperty("message-bytes") Integer messageBytes,
      @JsonProperty("heavy-bytes") Integer heavyBytes) {

    public Control {
      sample = among("sample", sample, 100, 20, 10_000);
      feedback = among("feedback", feedback, 500, 50, 10_000);
      validity = among("validity", validity, 2000, 100, 60_000);
      delay = among("delay", delay, 40, 1, 10_000);
      heavy = among("heavy", heavy, 100, 1, 60_000);
      calm = among("calm", calm, 5000, 100, 3_600_000);
      calmLoad = among("calm-load", calmLoad, 80, 1, 99);
      messageBytes = among("message-bytes", messageBytes, 1280, 256, 65_536);
      heavyBytes = among("heavy-bytes", heavyBytes, 32_768, 1024, 1 << 30);
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
        control == null
            ? new Control(null, null, null, null, null, null, null, null, null)
            : control;
  }

  private static void require(boolean holds, String field) {
    if (!holds) {
      throw new IllegalArgumentException(field + ": missing or out of range");
    }
  }

  /**
   * Reads a file of its own.
   *
   * @throws IOException naming the file and the key that is wrong
   */
  public static MonitorConfig read(Path file) throws IOException {
    return read(file, mapper(), mapper().createObjectNode());
  }

  /**
   * Reads the file that a provider's settings name. The provider gives publisher and path, so the
   * file must not. Its paths of files are relative to its directory.
   *
   * @throws IOException naming the file and the key that is wrong
   */
  public static MonitorConfig read(Path file, Publisher publisher, PathRules path)
      throws IOException {
    ObjectMapper mapper = mapper();
    ObjectNode given = mapper.createObjectNode();
    given.set("publisher", mapper.valueToTree(Map.of("name", publisher.name(), "key", "-")));
    MonitorConfig config = read(file, mapper, given);
    Path directory = file.toAbsolutePath().getParent();
    Module module = config.module();
    Path pid = config.server().pidFile();
    return new MonitorConfig(
        publisher,
        new Server(
            config.server().port(),
            config.server().transport(),
            pid == null ? null : directory.resolve(pid)),
        new Module(
            directory.resolve(module.bundle()),
            module.url(),
            module.ttl(),
            module.headers(),
            module.properties()),
        config.edges(),
        path,
        config.control());
  }

  private static void refuse(ObjectNode settings, String key) {
    if (settings.has(key)) {
      throw new IllegalArgumentException(key + ": belongs into the provider's own settings");
    }
  }

  private static ObjectMapper mapper() {
    return new ObjectMapper(new YAMLFactory())
        .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
  }

  private static MonitorConfig read(Path file, ObjectMapper mapper, ObjectNode given)
      throws IOException {
    try {
      JsonNode tree = mapper.readTree(Files.readString(file));
      if (!(tree instanceof ObjectNode settings)) {
        throw new IOException(file + ": no settings");
      }
      if (!given.isEmpty()) {
        refuse(settings, "publisher");
        refuse(settings, "path");
        settings.setAll(given);
      }
      return mapper.treeToValue(settings, MonitorConfig.class);
    } catch (JsonProcessingException | IllegalArgumentException e) {
      Throwable cause = e.getCause() instanceof IllegalArgumentException ? e.getCause() : e;
      throw new IOException(file + ": " + cause.getMessage().lines().findFirst().orElse(""), e);
    }
  }
}
