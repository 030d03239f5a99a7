// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.netserv.lab.bench.Conversation;
import org.netserv.lab.bench.FigureTable;
import org.netserv.lab.bench.Figures;
import org.netserv.lab.testbed.SalHost;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.tool.ConnectTimes;

/**
 * Measures connect by name beside plain TCP, in turn: on a link between both hosts, and over a node
 * whose kernel is a service router for names and forwards plain TCP. All connections have gone
 * through the router's kernel, or the part breaks.
 */
final class ConnectBench {
  private static final String CLIENT = "client";
  private static final String SERVER = "server";
  private static final String NODE = "node";
  private static final String ROUTER = "10.1.0.1";
  private static final int ROUTER_PORT = 54325;
  private static final int PORT = 7000;
  private static final int WARM_UP = 3;
  private static final int SETTLE = 500; // milliseconds, in which connections end on both hosts
  private static final String TIME = "connect, us";
  private static final String BY_CLIENT = "set up by the client's programs";
  private static final String BY_SERVER = "set up by the server's programs";
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** SYNs of a measurement that may go to the module, because sald prepares each 10 s anew. */
  private static final int BY_MODULE = 20;

  /** A way of connections: an address, or a serviceID. */
  private enum Way {
    DIRECT("TCP on the link", "10.0.0.2"),
    NAMED("by name on the link", "00007000"),
    BY_SALD("by name on the link, set up by sald", "00007000"),
    OVER_NODE("TCP over the node", "192.0.2.10"),
    ROUTED("by name through the router", "00007001");

    private final String text;
    private final String to;

    Way(String text, String to) {
      this.text = text;
      this.to = to;
    }

    private boolean isByName() {
      return this != DIRECT && this != OVER_NODE;
    }
  }

  private final PartRun run;
  private final Testbed testbed;
  private final int connections;
  private final FigureTable figures = new FigureTable();
  private final Figures direct = new Figures();
  private final Figures routed = new Figures();
  private SalHost client;
  private SalHost server;
  private PublishedApp router;

  private ConnectBench(PartRun run) {
    this.run = run;
    this.testbed = run.testbed();
    this.connections = run.plan().of(300, 100);
  }

  static void measure(PartRun run) throws IOException {
    new ConnectBench(run).measure();
  }

  private void measure() throws IOException {
    prepare();
    try (Conversation connects =
        Conversation.start(testbed, CLIENT, "connects", ConnectTimes.class)) {
      run.step().begin("warm-up");
      for (int i = 0; i < WARM_UP; i++) {
        round(connects);
      }
      for (int round = 1; round <= run.plan().rounds(); round++) {
        run.begin(round);
        add(round(connects));
      }
    }
    run.report().show(figures.table());
    run.goals().put(Goal.CONNECT_DIRECT, direct);
    run.goals().put(Goal.CONNECT_ROUTER, routed);
  }

  private void prepare() throws IOException {
    run.step().begin("SETUP of a service router");
    router =
        PublishedApp.start(
            testbed, NODE, "service-router", SERVER, Map.of("registrations", "0000"));
    Tool.start(testbed, SERVER, "connects", Testbed.tool(ConnectTimes.class, "serve", PORT))
        .await("ready");
    server = SalHost.start(testbed, SERVER, "eth0", "eth1");
    client = SalHost.start(testbed, CLIENT, "eth0", "eth1");
    server.order("router address=" + ROUTER);
    for (Way way : List.of(Way.NAMED, Way.ROUTED)) {
      server.order("register id=" + way.to + " port=" + PORT);
    }
    client.order("forward id=" + Way.NAMED.to + " to=" + Way.DIRECT.to);
    client.order("forward id=" + Way.ROUTED.to + " to=" + ROUTER + ":" + ROUTER_PORT);
    Wait.until("the rules in the router's kernel", PATIENCE, () -> router.rules() >= 2);
  }

  private Map<Way, Double> round(Conversation connects) throws IOException {
    Map<Way, Double> times = new EnumMap<>(Way.class);
    for (Way way : Way.values()) {
      setUp(way == Way.BY_SALD ? "sald" : "programs");
      long before = router.routed();
      double out = setUps(client, "out");
      double in = setUps(server, "in");
      times.put(way, connect(connects, way));
      if (way.isByName()) {
        figures.of(way.text, BY_CLIENT).add(setUps(client, "out") - out);
        figures.of(way.text, BY_SERVER).add(setUps(server, "in") - in);
      }
      if (way == Way.ROUTED) {
        byKernel(before);
      }
    }
    return times;
  }

  /** Has flows set up by the programs of the kernel, or by sald alone. */
  private void setUp(String by) throws IOException {
    for (SalHost host : List.of(client, server)) {
      host.order("set-up by=" + by);
    }
  }

  /** Returns the flows that the programs of a host's kernel have set up. */
  private static double setUps(SalHost host, String way) throws IOException {
    return host.view("status").path("kernel").path("set-up-" + way).asDouble();
  }

  /**
   * Fails if the router's kernel has not routed the SYNs. Its counters are a second old at most.
   */
  private void byKernel(long before) throws IOException {
    long least = before + connections - BY_MODULE;
    if (!Wait.reaches(PATIENCE, () -> router.routed() >= least)) {
      throw new LabException(
          "the router's kernel routed " + (router.routed() - before) + " of " + connections);
    }
  }

  /** Returns the median time of connect in microseconds. */
  private double connect(Conversation connects, Way way) throws IOException {
    String address = way.isByName() ? client.address(way.to) : way.to;
    double median =
        connects.ask("connect " + connections + " " + address + " " + PORT).get("median");
    Wait.pause(SETTLE);
    return median;
  }

  private void add(Map<Way, Double> times) {
    times.forEach((way, time) -> figures.of(way.text, TIME).add(time));
    direct.add(times.get(Way.NAMED) - times.get(Way.DIRECT));
    routed.add(times.get(Way.ROUTED) - times.get(Way.OVER_NODE));
  }
}
