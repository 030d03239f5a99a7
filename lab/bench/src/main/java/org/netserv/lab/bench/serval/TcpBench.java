// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.netserv.lab.bench.BenchTestbed;
import org.netserv.lab.bench.Conversation;
import org.netserv.lab.bench.FigureTable;
import org.netserv.lab.bench.Figures;
import org.netserv.lab.testbed.SalHost;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.VethCard;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Step;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.tool.ConnectTimes;

/**
 * Measures the connections of unchanged programs by name beside plain TCP, between two hosts on a
 * veth pair, in turn: the rate of iperf3, with each congestion control, and the time of connect.
 */
public final class TcpBench {
  /** A way from the client to the server. */
  private enum Way {
    PLAIN("TCP"),
    CUT("TCP, trains cut by the kernel"),
    SINGLE("TCP, one segment a packet"),
    NAMED("by name, encapsulated"),
    NATIVE("by name, native form");

    private final String text;

    Way(String text) {
      this.text = text;
    }

    private boolean isByName() {
      return this == NAMED || this == NATIVE;
    }
  }

  private static final String TOPOLOGY = "serval-tcp";
  private static final String CLIENT = "client";
  private static final String SERVER = "server";
  private static final String OUTSIDE = "eth0";
  private static final List<String> CONTROLS = List.of("reno", "bbr");
  private static final int IPERF_PORT = 5201;
  private static final int CONNECT_PORT = 7000;
  private static final int WARM_UP = 3;
  private static final int SETTLE = 500; // milliseconds, in which connections end on both hosts
  private static final double MEGA = 1e6;
  private static final double GOAL = 0.9;
  private static final double GOAL_NATIVE = 0.92;
  private static final double GOAL_CONNECT = 10;
  private static final String CONNECT = "connect, us";
  private static final String SALD = "by name, set up by sald";
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final TcpPlan plan;
  private final Report report;
  private final Step step;
  private final Testbed testbed;
  private final FigureTable figures = new FigureTable();
  private final FigureTable ratios = new FigureTable(); // of encapsulated data by name
  private final FigureTable natives = new FigureTable(); // of data in the native form
  private final Figures added = new Figures();
  private final Figures addedBySald = new Figures();
  private final Map<Way, String> addresses = new EnumMap<>(Way.class);
  private SalHost names;
  private SalHost named;

  private TcpBench(TcpPlan plan, Report report, Step step, Testbed testbed) {
    this.plan = plan;
    this.report = report;
    this.step = step;
    this.testbed = testbed;
  }

  /** Measures, prints and judges. Returns 0 if the goals are met. */
  public static int run(TcpPlan plan, Report report) {
    return BenchTestbed.measure(
        TOPOLOGY, report, (testbed, step) -> new TcpBench(plan, report, step, testbed).measure());
  }

  private int measure() throws IOException {
    prepare();
    try (Conversation connects =
        Conversation.start(testbed, CLIENT, "connects", ConnectTimes.class)) {
      for (int i = 0; i < WARM_UP; i++) {
        for (Way way : Way.values()) {
          connect(connects, way);
        }
      }
      for (int round = 1; round <= plan.rounds(); round++) {
        step.begin("round " + round + " of " + plan.rounds());
        for (String control : CONTROLS) {
          transfers(control);
        }
        connects(connects);
      }
    }
    report.show(figures.table());
    return judge();
  }

  private void prepare() throws IOException {
    for (String host : List.of(CLIENT, SERVER)) {
      new VethCard(testbed, host, "eth1").cutsTrains();
      testbed.run(host, "ip", "link", "set", "eth2", "gso_max_segs", "1");
    }
    testbed.spawn(SERVER, "iperf3", List.of("iperf3", "-s"));
    Tool.start(testbed, SERVER, "connects", Testbed.tool(ConnectTimes.class, "serve", CONNECT_PORT))
        .await("ready");
    SalHost server = SalHost.startNative(testbed, SERVER, OUTSIDE);
    SalHost client = SalHost.startNative(testbed, CLIENT, OUTSIDE);
    for (int port : List.of(IPERF_PORT, CONNECT_PORT)) {
      server.order("register id=0000" + port + " port=" + port);
      client.order("forward id=0000" + port + " to=10.0.0.2");
    }
    addresses.put(Way.PLAIN, "10.0.0.2");
    addresses.put(Way.CUT, "10.0.1.2");
    addresses.put(Way.SINGLE, "10.0.2.2");
    names = client;
    named = server;
    Wait.until("iperf3", PATIENCE, () -> listens(IPERF_PORT));
  }

  private boolean listens(int port) throws IOException {
    return !testbed.run(SERVER, "ss", "-Hltn", "sport = :" + port).isBlank();
  }

  /** Returns the address that leads to a port of the server by a way, for the next connections. */
  private String address(Way way, int port) throws IOException {
    if (!way.isByName()) {
      return addresses.get(way);
    }
    for (SalHost host : List.of(names, named)) {
      host.order("native use=" + (way == Way.NATIVE ? "yes" : "no"));
    }
    for (String pair : names.order("resolve id=0000" + port).split(" ", -1)) {
      if (pair.startsWith("address4=")) {
        return pair.substring("address4=".length());
      }
    }
    throw new LabException("sald has no address for port " + port);
  }

  private void transfers(String control) throws IOException {
    Map<Way, Double> rates = new EnumMap<>(Way.class);
    for (Way way : Way.values()) {
      double rate = transfer(address(way, IPERF_PORT), control);
      rates.put(way, rate);
      figures.of(way.text, rate(control)).add(rate);
    }
    double byName = rates.get(Way.NAMED);
    rates.forEach((way, rate) -> ratios.of(way.text, control).add(byName / rate));
    natives.of(Way.PLAIN.text, control).add(rates.get(Way.NATIVE) / rates.get(Way.PLAIN));
  }

  private static String rate(String control) {
    return "Mb/s, " + control;
  }

  /** Returns Mb/s as the server has counted. */
  private double transfer(String address, String control) throws IOException {
    String command = "iperf3 -J -C " + control + " -t " + plan.seconds() + " -c " + address;
    String said = testbed.run(CLIENT, command.split(" ", -1));
    return JSON.readTree(said).path("end").path("sum_received").path("bits_per_second").asDouble()
        / MEGA;
  }

  private void connects(Conversation connects) throws IOException {
    double plain = connect(connects, Way.PLAIN);
    double byPrograms = connect(connects, Way.NAMED);
    setUp("sald");
    double bySald = connect(connects, Way.NAMED);
    setUp("programs");
    figures.of(Way.PLAIN.text, CONNECT).add(plain);
    figures.of(Way.NAMED.text, CONNECT).add(byPrograms);
    figures.of(SALD, CONNECT).add(bySald);
    added.add(byPrograms - plain);
    addedBySald.add(bySald - plain);
  }

  /** Has flows set up by the programs of the kernel, or by sald alone. */
  private void setUp(String by) throws IOException {
    names.order("set-up by=" + by);
    named.order("set-up by=" + by);
  }

  /** Returns the median time of connect in microseconds. */
  private double connect(Conversation connects, Way way) throws IOException {
    String order =
        "connect " + plan.connections() + " " + address(way, CONNECT_PORT) + " " + CONNECT_PORT;
    double median = connects.ask(order).get("median");
    Wait.pause(SETTLE);
    return median;
  }

  private int judge() throws LabException {
    ResultTable table = new ResultTable("what", "n", "median", "90 % interval of it", "goal", "");
    boolean met = row(table, "connect by name, added to TCP, us", added, GOAL_CONNECT, false);
    row(table, "the same, set up by sald", addedBySald, 0, false);
    for (String control : CONTROLS) {
      met &= row(table, ratio(Way.CUT, control), ratios.of(Way.CUT.text, control), GOAL, true);
      met &=
          row(table, ratio(Way.SINGLE, control), ratios.of(Way.SINGLE.text, control), GOAL, true);
      row(table, ratio(Way.PLAIN, control), ratios.of(Way.PLAIN.text, control), 0, true);
      met &=
          row(
              table,
              "rate in the native form / " + Way.PLAIN.text + ", " + control,
              natives.of(Way.PLAIN.text, control),
              GOAL_NATIVE,
              true);
    }
    report.show(table);
    return report.verdict(
        met,
        String.format(
            Locale.ROOT,
            "%.0f us more for a connect, %.2f of the rate of TCP without segmentation offload (%s).",
            added.median(),
            ratios.of(Way.CUT.text, CONTROLS.get(0)).median(),
            CONTROLS.get(0)));
  }

  private static String ratio(Way way, String control) {
    return "rate by name / " + way.text + ", " + control;
  }

  private static boolean row(
      ResultTable table, String what, Figures figures, double goal, boolean least) {
    boolean met = goal == 0 || (least ? figures.median() >= goal : figures.median() <= goal);
    table.row(
        what,
        figures.count(),
        String.format(Locale.ROOT, "%.2f", figures.median()),
        String.format(Locale.ROOT, "%.2f - %.2f", figures.low(), figures.high()),
        goal == 0 ? "" : (least ? ">= " : "<= ") + goal,
        goal == 0 ? "" : met ? "ok" : "MISSED");
    return met;
  }
}
