// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.PlainWeb;
import org.netserv.lab.testbed.SalHost;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Wait;

/**
 * The hosts of Serval in the topology {@code soak} and their service router: a client with two
 * links, an instance of a web service that stays, and another that comes and goes. For one thread
 * at a time.
 */
final class SoakHosts {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String PUBLISHER = "names";
  private static final String NODE = "node";
  private static final String CLIENT = "client";
  private static final String WEB = "web";
  private static final String GUEST = "guest";
  private static final String ROUTER = "192.0.2.1";
  private static final String ID = "00004001";
  private static final String FILE = "http://web.serval:" + PlainWeb.PORT + "/file";
  private static final int BYTES = 3_000_000;

  /** Bytes a second of a download during which the client moves. */
  private static final String SLOW = "?rate=1m";

  private static final int FIRST_BYTES_MS = 500;

  /** Milliseconds without any link in a move that cuts the old one first. */
  private static final int CUT_MS = 50;

  private static final int SECONDS = 60;

  /** A link of the client and its addresses. */
  private record Link(String name, String gateway, String own) {}

  private static final List<Link> LINKS =
      List.of(new Link("one", "10.1.0.1", "10.1.0.10"), new Link("two", "10.2.0.1", "10.2.0.10"));

  private final Testbed testbed;
  private final Map<String, SalHost> hosts = new LinkedHashMap<>();
  private String digest;
  private int link;

  private SoakHosts(Testbed testbed) {
    this.testbed = testbed;
  }

  /** A download that takes seconds. */
  final class Slow {
    private final String log;
    private final Tool curl;

    private Slow() throws IOException {
      log = testbed.unique("slow");
      curl = hosts.get(CLIENT).begin(log, curl(FILE + SLOW) + " | sha256sum");
    }

    /** Waits for the end, and returns the digest of what has come. */
    String digest() throws IOException {
      curl.result(SECONDS);
      return testbed.tail(CLIENT, log, 1).split(" ", 2)[0];
    }
  }

  /** Deploys the router, starts the hosts, and waits until the client can download. */
  static SoakHosts start(Stage stage) throws IOException {
    SoakHosts all = new SoakHosts(stage.testbed());
    all.wholeChecksums();
    stage.deployServer(
        NODE,
        PUBLISHER,
        LabHome.dist().resolve("apps/service-router.jar"),
        Map.of("registrations", "0000"));
    all.servers();
    SalHost client = SalHost.start(stage.testbed(), CLIENT, "one", "two");
    client.order("forward id=default to=" + ROUTER);
    client.order("name name=web.serval id=" + ID);
    all.hosts.put(CLIENT, client);
    return all;
  }

  /** Makes the client send as cards do, so that the router's kernel takes its SYNs. */
  private void wholeChecksums() throws IOException {
    for (Link each : LINKS) {
      testbed.run(CLIENT, "ethtool", "-K", each.name(), "tx", "off");
    }
  }

  private void servers() throws IOException {
    for (String name : List.of(WEB, GUEST)) {
      digest = PlainWeb.start(testbed, name, PlainWeb.PORT, BYTES).digest(); // the same of both
      SalHost host = SalHost.start(testbed, name, "eth0");
      host.order("router address=" + ROUTER);
      hosts.put(name, host);
    }
    register(WEB);
    Wait.until("the registration", PATIENCE, () -> rules() > 0);
  }

  private void register(String host) throws IOException {
    hosts.get(host).order("register id=" + ID + " port=" + PlainWeb.PORT);
  }

  /** Returns the digest of the file that all instances serve. */
  String digest() {
    return digest;
  }

  /** Returns the rules that the router has in the kernel. */
  long rules() throws IOException {
    return counter("serval-rules");
  }

  /** Returns the SYNs that the router's kernel has led to an instance. */
  long routed() throws IOException {
    return counter("serval-routed");
  }

  private long counter(String name) throws IOException {
    try (NodeClient client = testbed.client(NODE)) {
      return Stage.counter(client.counters(PUBLISHER), name);
    }
  }

  /** Returns the hosts by the names of their nodes. */
  Map<String, SalHost> hosts() {
    return hosts;
  }

  /** Returns the flows of all hosts, also the closed ones that rest for a minute. */
  long flows() throws IOException {
    long sum = 0;
    for (SalHost host : hosts.values()) {
      sum += host.view("status").path("flows").asLong();
    }
    return sum;
  }

  /** Returns the process id of the router's container. */
  long container() throws IOException {
    return NodeProcesses.of(testbed, NODE, PUBLISHER).pid("container");
  }

  /** Downloads at once, and returns the digest. */
  String download() throws IOException {
    return hosts.get(CLIENT).digest(curl(FILE));
  }

  /** Begins a download that takes seconds, and returns when bytes come. */
  Slow slow() throws IOException {
    Slow slow = new Slow();
    Wait.until("a connection", PATIENCE, () -> connected(LINKS.get(link)));
    Wait.pause(FIRST_BYTES_MS);
    return slow;
  }

  private static String curl(String url) {
    return "curl -sS -m %d --connect-timeout 30 '%s'".formatted(SECONDS - 10, url);
  }

  /**
   * Moves the client to its other link.
   *
   * @param cut whether the old link goes first
   * @return whether a connection went on from the new link's address
   */
  boolean move(boolean cut) throws IOException {
    Link from = LINKS.get(link);
    link = 1 - link;
    Link to = LINKS.get(link);
    if (cut) {
      testbed.run(CLIENT, "ip", "link", "set", from.name(), "down");
      Wait.pause(CUT_MS);
    }
    testbed.run(CLIENT, "ip", "route", "replace", "default", "via", to.gateway());
    boolean moved = Wait.reaches(PATIENCE, () -> connected(to));
    testbed.run(CLIENT, "ip", "link", "set", from.name(), "up");
    return moved;
  }

  /** Tells whether the instance that stays has a connection to the client at this link. */
  private boolean connected(Link at) throws IOException {
    for (JsonNode flow : hosts.get(WEB).view("flows").path("flows")) {
      boolean open = flow.path("state").asText().equals("CONNECTED");
      if (open && flow.path("peer").asText().startsWith(at.own() + ":")) {
        return true;
      }
    }
    return false;
  }

  /** Has the other instance register, and waits until the router's kernel has so many rules. */
  void come(long rules) throws IOException {
    register(GUEST);
    Wait.until("the rule of another instance", PATIENCE, () -> rules() == rules);
  }

  /**
   * Has the other instance leave, so that no request fails.
   *
   * @return whether the router's kernel has so many rules again
   */
  boolean leave(long rules) throws IOException {
    hosts.get(GUEST).order("drain id=" + ID);
    boolean left = Wait.reaches(PATIENCE, () -> rules() == rules);
    hosts.get(GUEST).order("unregister id=" + ID);
    return left;
  }
}
