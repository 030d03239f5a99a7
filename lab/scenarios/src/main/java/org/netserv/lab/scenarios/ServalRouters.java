// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.PlainWeb;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.VethCard;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Wait;

/**
 * Two service routers on the way between two ends, in the topology {@code serval-router}. The user
 * asks the near one, which asks the far one, where the server registers.
 */
final class ServalRouters {
  static final String NODE = "node";
  static final String FAR = "far";
  static final String NEAR_ROUTER = "10.1.0.1";
  static final String FAR_ROUTER = "10.2.0.2";
  static final String RULES = "default=" + FAR_ROUTER + ":" + ServalEnds.PORT;
  static final String URL = "http://web.serval:" + PlainWeb.PORT + "/file";
  private static final String ID = "00004001";
  private static final String MODULE = "NetServ.apps.ServiceRouter";
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  private final Stage stage;
  private final Testbed testbed;
  private final Path jar = LabHome.dist().resolve("apps/service-router.jar");

  ServalRouters(Stage stage) {
    this.stage = stage;
    this.testbed = stage.testbed();
  }

  /** Gives the hosts cards, so that the kernel of a node routes their SYNs. */
  static void wholeChecksums(Testbed testbed) throws IOException {
    for (String host : List.of(ServalEnds.USER, ServalEnds.SERVER, "second")) {
      VethCard.of(testbed, host).addsChecksums().takesRedirected();
    }
  }

  /** Deploys both routers, the far one with these properties beside those of its place. */
  void deploy(Map<String, String> far) throws IOException {
    Map<String, String> properties = new HashMap<>(far);
    properties.put("routers", NEAR_ROUTER + ":" + ServalEnds.PORT);
    properties.putIfAbsent("registrations", "0000");
    stage.deployServer(FAR, Stage.PUBLISHER, jar, properties);
    near(RULES);
  }

  /** Deploys the near router with these rules. */
  void near(String rules) throws IOException {
    String router = FAR_ROUTER + ":" + ServalEnds.PORT;
    stage.deployServer(NODE, Stage.PUBLISHER, jar, Map.of("routers", router, "rules", rules));
  }

  /** Starts the ends, which keep their orders, and waits for the server's registration. */
  ServalEnds ends(int bytes) throws IOException {
    ServalEnds ends = ServalEnds.start(testbed, bytes);
    ends.server.keep("router address=" + FAR_ROUTER);
    ends.server.keep("register id=" + ID + " port=" + PlainWeb.PORT);
    ends.user.keep("forward id=default to=" + NEAR_ROUTER + ":" + ServalEnds.PORT);
    ends.user.keep("name name=web.serval id=" + ID);
    registered();
    return ends;
  }

  /** Waits until a host has registered at the far router. */
  void registered() throws IOException {
    Wait.until("the registration", PATIENCE, () -> count("RULE_OK") > 0);
  }

  /** Returns the rules that the kernel of a node has. */
  long rules(String node) throws IOException {
    try (NodeClient client = testbed.client(node)) {
      return Stage.counter(client.counters(Stage.PUBLISHER), "serval-rules");
    }
  }

  /** Returns a counter of the far router's module. */
  long count(String counter) throws IOException {
    return counts(FAR).getOrDefault(counter, 0L);
  }

  /** Returns the counters of a router's module. */
  Map<String, Long> counts(String node) throws IOException {
    Map<String, Long> all = new HashMap<>();
    try (NodeClient client = testbed.client(node)) {
      GainTraffic.module(client.counters(Stage.PUBLISHER), MODULE)
          .path("counts")
          .properties()
          .forEach(each -> all.put(each.getKey(), each.getValue().asLong()));
    }
    return all;
  }

  /** Returns the packets that the kernels and the modules of both routers have sent on. */
  long sentOn() throws IOException {
    long sum = 0;
    for (String node : List.of(NODE, FAR)) {
      sum += counts(node).getOrDefault("FORWARD_FORWARD", 0L);
      try (NodeClient client = testbed.client(node)) {
        sum += Stage.counter(client.counters(Stage.PUBLISHER), "serval-routed");
      }
    }
    return sum;
  }

  /** Waits until the controllers of both nodes count. */
  void answer() throws IOException {
    Wait.until("the controllers", PATIENCE, () -> answers(NODE) && answers(FAR));
  }

  private boolean answers(String node) {
    try {
      return rules(node) >= 0;
    } catch (IOException e) {
      return false; // there is no controller
    }
  }
}
