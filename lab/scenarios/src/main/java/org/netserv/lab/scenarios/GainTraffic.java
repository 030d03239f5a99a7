// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.tool.WebOrigin;

/** Traffic of which the cache and the relay count what they save, and these counts. */
final class GainTraffic {
  /** Requests that the cache answers alone. */
  static final int HITS = 7;

  private static final int CLIENTS = 3;

  /** Allocations of coturn's clients. Each makes one to probe the relay, and one for its call. */
  static final int CALLS = 2 * CLIENTS;

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int ORIGIN = 8080;
  private static final int PEER = 3480;
  private static final String SERVER = "server";
  private static final String SECRET = "lab-secret";
  private static final String CACHE = "NetServ.apps.ActiveCDN";
  private static final String RELAY = "NetServ.apps.MediaRelay";

  private final Stage stage;
  private final Testbed testbed;
  private final String server;
  private final String edge;

  /**
   * Traffic by way of a node.
   *
   * @param node whose interface {@code edge} leads to the user
   */
  GainTraffic(Stage stage, String node) {
    this.stage = stage;
    this.testbed = stage.testbed();
    server = stage.server(false).getHostAddress();
    edge = testbed.topology().node(node).interfaces().get("edge").get(0).ip().getHostAddress();
  }

  /** Deploys the cache, and has a user ask for an object that the web server gives once. */
  void askCache() throws IOException {
    stage.step("deploy the cache; curl asks " + (1 + HITS) + " times");
    testbed.spawnTool(SERVER, "origin", WebOrigin.class, ORIGIN);
    stage.deployServer(
        LabHome.dist().resolve("apps/activecdn.jar"),
        Map.of("origin", server + ":" + ORIGIN, "store-kib", "4096"));
    String one = "curl -fsS -m 5 -o /dev/null http://" + edge + "/fast/x";
    Wait.until("the cache", PATIENCE, () -> user(one + " && echo yes").equals("yes"));
    user("for i in $(seq " + HITS + "); do " + one + "; done");
    Wait.until("its counts", PATIENCE, () -> hits(stage.counters()) >= HITS);
  }

  /** Deploys the relay, and has coturn's client relay to coturn's peer beside the server. */
  void callByRelay() throws IOException {
    stage.step("deploy the relay; " + CLIENTS + " clients of coturn");
    String port = Integer.toString(PEER);
    testbed.spawn(SERVER, "peer", List.of("turnutils_peer", "-L", server, "-p", port));
    stage.deployServer(LabHome.dist().resolve("apps/media-relay.jar"), Map.of("secret", SECRET));
    String client =
        "turnutils_uclient -c -n 10 -m %d -z 20 -l 100 -e %s -r %s -u user -W %s %s"
            .formatted(CLIENTS, server, port, SECRET, edge);
    stage.out().println(user("timeout 60 " + client + " 2>&1 | tail -n 3"));
    Wait.until("its counts", PATIENCE, () -> calls(stage.counters()) >= CALLS);
  }

  private String user(String command) throws IOException {
    return testbed.run("user", "timeout", "90", "bash", "-c", command + " || true").strip();
  }

  /** Returns a module of a document that has one list of modules. */
  static JsonNode module(JsonNode document, String name) {
    for (JsonNode module : document.findPath("modules")) {
      if (module.path("module").asText().equals(name)) {
        return module;
      }
    }
    return MissingNode.getInstance();
  }

  /** Returns the requests that the cache has answered alone. */
  static long hits(JsonNode counters) {
    JsonNode counts = module(counters, CACHE).path("counts");
    long sum = 0;
    for (String name : List.of("HIT", "HIT_STALE", "HIT_WHILE_FILLING", "HIT_STALE_ON_ERROR")) {
      sum += counts.path(name).asLong();
    }
    return sum;
  }

  /** Returns the allocations that the relay has made. */
  static long calls(JsonNode counters) {
    return module(counters, RELAY).path("counts").path("ALLOCATED").asLong();
  }

  /** Returns both in the words of the dashboard's page. */
  static List<String> lines(JsonNode counters) {
    String line = "gain " + Stage.PUBLISHER + " %s %s %,d";
    return List.of(
        String.format(Locale.ENGLISH, line, CACHE, "cache hits", hits(counters)),
        String.format(Locale.ENGLISH, line, RELAY, "relayed calls (allocations)", calls(counters)));
  }
}
