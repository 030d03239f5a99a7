// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.deny;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.netserv.lab.scenarios.Stage;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.ncm.Header;

/**
 * One publisher's container on one node, in which attempts are made. Each attempt is a module of
 * its own with a port of its own. The module is installed when it is first needed.
 */
final class Ground {
  static final String VICTIM = "sip";
  static final String VICTIMS_MODULE = "NetServ.apps.KeepAlive";
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int BUSY = 503;
  private static final int ANSWER_MILLIS = 400;

  private final Grounds all;
  private final Testbed testbed;
  private final String node;
  private final String publisher;
  private final User user;
  private final Bundle neighbour;
  private final Map<String, Bundle> modules = new HashMap<>();
  private int memory;

  /**
   * Makes a ground for attempts.
   *
   * @param node {@code node} or {@code control}
   * @param neighbour the module that another publisher has there
   */
  Ground(Grounds all, String node, String publisher, User user, Bundle neighbour) {
    this.all = all;
    this.testbed = all.testbed();
    this.node = node;
    this.publisher = publisher;
    this.user = user;
    this.neighbour = neighbour;
  }

  Testbed testbed() {
    return testbed;
  }

  String node() {
    return node;
  }

  User user() {
    return user;
  }

  /** Returns the node's directory on disk. */
  Path root() {
    return NodeDaemon.root(testbed, node);
  }

  /** Returns the server's interface behind this node. */
  String device() {
    return node.equals("node") ? "eth0" : "eth1";
  }

  String server() {
    return serverAddress().getHostAddress();
  }

  private InetAddress serverAddress() {
    return testbed.topology().node("server").interfaces().get(device()).get(0).ip();
  }

  /** Returns the node's own address toward its users. */
  String nodeAddress() {
    return testbed.topology().node(node).interfaces().get("lan").get(0).ip().getHostAddress();
  }

  static String module(String attempt) {
    return "org.netserv.lab.module." + attempt;
  }

  /**
   * Sets the memory in MiB that the cgroups of its containers allow from now on. It overrides the
   * policy, which has no room for a heap that is larger than the memory.
   */
  void bound(int mib) {
    memory = mib;
  }

  /** Installs an attempt's module on the node, unless it is there already. */
  void deploy(String attempt, int port) throws IOException {
    if (modules.containsKey(attempt)) {
      return;
    }
    LabPublisher signer = testbed.publisher(publisher);
    Bundle bundle = all.bundle(publisher, attempt);
    Map<Header, String> filter = new HashMap<>();
    filter.put(Header.FILTER_PORT, Integer.toString(port));
    filter.put(Header.FILTER_PROTO, "udp");
    if (publisher.equals(Attempt.TAKING)) {
      filter.put(Header.TAKE, Attempts.TAKEN);
    }
    Wait.until(
        "the SETUP of " + attempt + " on " + node + " by " + publisher,
        PATIENCE,
        () -> setUp(signer, bundle, filter));
    modules.put(attempt, bundle);
    if (memory != 0) {
      GroupMemory.bound(pid(), memory);
    }
  }

  /**
   * Sends a SETUP. Returns false while the node cannot run it, because its spawner may just have
   * been attacked.
   */
  private boolean setUp(LabPublisher signer, Bundle bundle, Map<Header, String> filter)
      throws IOException {
    try (NodeClient client = testbed.client(node)) {
      NodeClient.Answer answer =
          client.ncm(signer.setup(bundle, serverAddress(), serverAddress(), filter, Map.of()));
      if (!answer.running() && answer.status() != BUSY) {
        throw new LabException("SETUP on " + node + " by " + publisher + ": " + answer);
      }
      return answer.running();
    }
  }

  /** Removes all modules. The container ends with the last one. */
  void clear() throws IOException {
    try (NodeClient client = testbed.client(node)) {
      for (Bundle bundle : modules.values()) {
        client.ncm(testbed.publisher(publisher).remove(bundle, serverAddress()));
      }
      modules.clear();
      Wait.until(
          "the container of " + publisher + " on " + node + " to end",
          PATIENCE,
          () -> pid(client, publisher) <= 0);
    }
  }

  /**
   * Sends an order to a module and returns the answer, or {@link User#NOTHING} if nobody answers.
   */
  String order(int port, String text) throws IOException {
    return user.ask("udp " + server() + " " + port + " " + ANSWER_MILLIS + " " + text);
  }

  /**
   * Returns the container's process as the node's root sees it. The number is not positive if there
   * is none.
   */
  long pid() throws IOException {
    return pid(publisher);
  }

  long pid(String of) throws IOException {
    try (NodeClient client = testbed.client(node)) {
      return pid(client, of);
    }
  }

  private static long pid(NodeClient client, String publisher) throws IOException {
    return container(client, publisher).path("pid").asLong(-1);
  }

  long pktio(String of) throws IOException {
    try (NodeClient client = testbed.client(node)) {
      return container(client, of).path("pktio").asLong(-1);
    }
  }

  private static JsonNode container(NodeClient client, String publisher) throws IOException {
    for (JsonNode container : client.status().path("containers")) {
      if (container.path("publisher").asText().equals(publisher)) {
        return container;
      }
    }
    return container(publisher);
  }

  private static JsonNode container(String publisher) {
    return com.fasterxml.jackson.databind.node.JsonNodeFactory.instance
        .objectNode()
        .put("publisher", publisher);
  }

  ObjectNode why(String of, String module) throws IOException {
    try (NodeClient client = testbed.client(node)) {
      return client.why(of, module);
    }
  }

  /** Returns the history of one of the container's own modules. */
  ObjectNode why(String module) throws IOException {
    return why(publisher, module);
  }

  /** Returns the reason for the end of this container's last process, as the node tells it. */
  String lastEnd(String attempt) throws IOException {
    String found = "its process ended";
    for (JsonNode step : why(module(attempt)).path("history")) {
      String reason = step.path("reason").asText();
      if (reason.contains("kind=") || reason.contains("exit") || reason.contains("signal")) {
        found = reason;
      }
    }
    return found;
  }

  /** Returns one of pktio's counters of this container. */
  long counter(String name) throws IOException {
    try (NodeClient client = testbed.client(node)) {
      return Stage.counter(client.counters(publisher), name);
    }
  }

  /** Returns a secret file that only root can read. */
  Path secret() throws IOException {
    Path file = testbed.state().resolve("secret");
    if (!Files.exists(file)) {
      Files.writeString(file, "nobody's business\n");
      Files.setPosixFilePermissions(
          file, java.nio.file.attribute.PosixFilePermissions.fromString("rw-------"));
    }
    return file;
  }

  /** Returns a file that only the neighbour can read. */
  Path neighboursFile() throws IOException {
    Path file = root().resolve("var/lib/netserv/containers").resolve(VICTIM).resolve("secret");
    if (!Files.exists(file)) {
      Files.copy(secret(), file);
      Object owner = Files.getAttribute(file.getParent(), "unix:uid");
      Files.setAttribute(file, "unix:uid", owner);
      Files.setPosixFilePermissions(
          file, java.nio.file.attribute.PosixFilePermissions.fromString("rw-------"));
    }
    return file;
  }

  /**
   * Returns a file of the directory in which the neighbour's modules store, by way of its process:
   * its file system is mounted nowhere else. The file {@code kept} is there, and the neighbour's.
   */
  Path neighboursStore(String file) throws IOException {
    Path data = root().resolve("var/lib/netserv/containers").resolve(VICTIM).resolve("data");
    Path store = Path.of("/proc/" + pid(VICTIM) + "/root" + data);
    Path kept = store.resolve("kept");
    if (!Files.exists(kept)) {
      Files.copy(secret(), kept);
      Files.setAttribute(kept, "unix:uid", Files.getAttribute(store, "unix:uid"));
      Files.setPosixFilePermissions(
          kept, java.nio.file.attribute.PosixFilePermissions.fromString("rw-------"));
    }
    return store.resolve(file);
  }

  /** Returns the neighbour's module and its bundle's digest, as an agent names a version. */
  String neighboursModule() {
    return VICTIMS_MODULE + " " + neighbour.digest();
  }

  /** Returns the module and digest of an attempt that is deployed. */
  String ownModule(String attempt) {
    return module(attempt) + " " + modules.get(attempt).digest();
  }

  /** Returns the bundle with the neighbour's classes. */
  Path neighboursBundle() {
    return root().resolve("var/lib/netserv/bundles/" + neighbour.digest() + ".jar");
  }
}
