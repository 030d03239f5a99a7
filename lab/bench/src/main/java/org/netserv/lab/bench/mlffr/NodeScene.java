// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.InetAddress;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.HostileBundle;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.tool.FileServer;
import org.netserv.ncm.Header;

/**
 * A whole node, set up as a publisher would set it up: supervisor, spawner, pktio, and a container
 * with one module that gets the sender's packets.
 */
final class NodeScene implements Scene {
  private static final String PUBLISHER = "bench";

  /** Makes the bundle of the module. */
  @FunctionalInterface
  interface Bundle {
    java.nio.file.Path make(Testbed testbed) throws IOException;
  }

  private final Bundle bundle;
  private final Map<String, String> properties;
  private final Path path;

  /** The path of packets to the module. */
  private enum Path {
    QUEUE,
    AFXDP,
    /** The module leaves each flow to the kernel at once. */
    OFFLOAD,
    /** The kernel counts the packets, and the module sees none. */
    COUNT
  }

  private NodeScene(Bundle bundle, Map<String, String> properties, Path path) {
    this.bundle = bundle;
    this.properties = properties;
    this.path = path;
  }

  /** Makes a scene with a module of the lab, built from its source. */
  static NodeScene module(String name) {
    return module(name, Path.QUEUE);
  }

  private static NodeScene module(String name, Path path) {
    return new NodeScene(testbed -> HostileBundle.build(name, testbed.state()), Map.of(), path);
  }

  /** Makes a scene with a module of the lab that gets packets by AF_XDP. */
  static NodeScene afxdp(String name) {
    return module(name, Path.AFXDP);
  }

  /** Makes a scene with a module that leaves its flows to the kernel. */
  static NodeScene offload(String name) {
    return module(name, Path.OFFLOAD);
  }

  /** Makes a scene with one of NetServ's applications. */
  static NodeScene app(String jar, Map<String, String> properties) {
    return app(jar, properties, Path.QUEUE);
  }

  /** Makes a scene with an application for which the kernel counts packets. */
  static NodeScene counted(String jar, Map<String, String> properties) {
    return app(jar, properties, Path.COUNT);
  }

  private static NodeScene app(String jar, Map<String, String> properties, Path path) {
    return new NodeScene(
        testbed -> LabHome.dist().resolve("apps").resolve(jar + ".jar"), properties, path);
  }

  @Override
  public Reader open(Stand stand) throws IOException {
    Testbed testbed = stand.testbed();
    testbed.spawnTool(
        "receiver", "files", FileServer.class, 80, testbed.state().resolve("bundles").toString());
    NodeDaemon.start(testbed, testbed.topology().node(Stand.NODE), options()).await();
    LabPublisher publisher = testbed.publisher(PUBLISHER);
    InetAddress receiver = InetAddress.getByName(Stand.RECEIVER_ADDRESS);
    Map<Header, String> filter = new EnumMap<>(Header.class);
    filter.put(Header.FILTER_PORT, Integer.toString(Prober.PORT));
    filter.put(Header.FILTER_PROTO, "udp");
    if (path == Path.COUNT) {
      filter.put(Header.FILTER_COUNT, "src,dst,ttl");
    }
    try (NodeClient node = testbed.client(Stand.NODE)) {
      NodeClient.Answer answer =
          node.ncm(
              publisher.setup(
                  publisher.publish(bundle.make(testbed)), receiver, receiver, filter, properties));
      if (!answer.running()) {
        throw new LabException("SETUP: " + answer);
      }
      JsonNode container = node.status().path("containers").path(0);
      long pktio = container.path("pktio").asLong();
      return new Reader(
          List.of(
              new Reader.Worker(pktio, "-"),
              new Reader.Worker(container.path("pid").asLong(), "packets")),
          pktio,
          by(),
          () -> path == Path.COUNT ? counted(testbed) : seen(testbed),
          true);
    }
  }

  private Reader.By by() {
    return switch (path) {
      case QUEUE, AFXDP -> Reader.By.MODULE;
      case OFFLOAD -> Reader.By.OFFLOADED;
      case COUNT -> Reader.By.COUNTED;
    };
  }

  /** Returns the packets that the kernel has counted for the module. */
  private static long counted(Testbed testbed) throws IOException {
    try (NodeClient node = testbed.client(Stand.NODE)) {
      return node.counters(PUBLISHER).findPath("flows-counted-packets").asLong();
    }
  }

  /** Returns the packets that the node has shown to the module. */
  private static long seen(Testbed testbed) throws IOException {
    try (NodeClient node = testbed.client(Stand.NODE)) {
      ObjectNode counters = node.counters(PUBLISHER);
      JsonNode packets = counters.findPath("modules").path(0).path("packets");
      if (!packets.isNumber()) {
        throw new LabException("the node counts no packets of the module: " + counters);
      }
      return packets.asLong();
    }
  }

  /** Returns the node's options. Their limits do not stop a module that runs as fast as it can. */
  private ObjectNode options() {
    ObjectNode options = JsonNodeFactory.instance.objectNode();
    ObjectNode config = options.putObject("config");
    config.putObject("fetch").putArray("allow").add(Stand.RECEIVER_ADDRESS + "/32");
    ObjectNode policy = options.putObject("publishers").putObject(PUBLISHER);
    policy.put("operator", true);
    policy.putArray("prefixes").add(Stand.RECEIVER_ADDRESS + "/32");
    policy.putArray("ports").add("udp/" + Prober.PORT);
    ObjectNode quotas = policy.putObject("quotas").put("cpu", 6400).put("packets-per-second", 0);
    if (path != Path.QUEUE) {
      ObjectNode fast = config.putObject("fast-path");
      fast.put("forward", path == Path.COUNT ? "kernel" : "direct");
      fast.putArray("interfaces").add("labin").add("labout");
    }
    if (path == Path.COUNT) {
      policy.putArray("grants").add("monitor");
    }
    if (path == Path.AFXDP) {
      policy.put("plane", "afxdp");
    }
    if (path == Path.OFFLOAD) {
      quotas.put("flows", 1024);
    }
    policy.putObject("limits").put("deadline", 1000);
    return options;
  }
}
