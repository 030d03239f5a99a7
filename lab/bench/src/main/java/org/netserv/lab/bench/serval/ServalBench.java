// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.netserv.lab.bench.Conversation;
import org.netserv.lab.bench.Figures;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Namespaces;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Step;
import org.netserv.lab.testbed.tool.RegistrationLoad;
import org.netserv.lab.testbed.topology.TopologyException;
import org.netserv.lab.testbed.topology.TopologyReader;

/**
 * Measures the time of a datagram through a router, all on one processor: by the kernel's own
 * forwarding, and by serviceID in the kernel. Each kind has its turn in each round. The time of
 * sending the datagram is measured, too, and taken off both. The bench also measures signed
 * registrations, by the processor time of the router's side.
 */
public final class ServalBench {
  /** A kind of run: its name in lab-serval, and the serviceIDs that are alive. */
  private enum Kind {
    SENDING("none", 1),
    FORWARDED("kernel", 1),
    FEW("serval", 4096),
    MANY("serval", 65_536);

    private final String name;
    private final int live;

    Kind(String name, int live) {
      this.name = name;
      this.live = live;
    }
  }

  private static final int WARM_UP = 3;
  private static final double GOAL_FEW = 1.5;
  private static final double GOAL_MANY = 0.9;
  private static final double GOAL_VERIFIED = 2000;
  private static final double GOAL_REFRESHED = 50_000;

  private final ServalPlan plan;
  private final Report report;
  private final Step step;
  private final Testbed testbed;
  private final Map<Kind, Figures> nanos = new EnumMap<>(Kind.class);
  private final Figures few = new Figures();
  private final Figures many = new Figures();
  private final Figures verified = new Figures();
  private final Figures refreshed = new Figures();

  private ServalBench(ServalPlan plan, Report report, Step step, Testbed testbed) {
    this.plan = plan;
    this.report = report;
    this.step = step;
    this.testbed = testbed;
  }

  /** Measures, prints and judges. Returns 0 if the goals are met. */
  public static int run(ServalPlan plan, Report report) {
    Step step = new Step(report.out());
    step.begin("build the testbed serval-bench");
    try (Testbed testbed =
        Testbed.temporary(
            TopologyReader.read(LabHome.file("topologies/serval-bench.yaml")), report.out())) {
      return new ServalBench(plan, report, step, testbed).measure();
    } catch (TopologyException | IOException e) {
      return report.verdict(step.failed(e) == 0, e.getMessage());
    }
  }

  private int measure() throws IOException {
    wire();
    try (Conversation router = router();
        Conversation registrations = registrations()) {
      for (int round = 1; round <= plan.rounds(); round++) {
        step.begin("round " + round + " of " + plan.rounds());
        round(router);
        Map<String, Double> rates = registrations.ask("round " + plan.registrations());
        verified.add(rates.get("verified"));
        refreshed.add(rates.get("refreshed"));
      }
    }
    return show();
  }

  /** Has drivers take frames of others, and gives the router its neighbours, so that none asks. */
  private void wire() throws IOException {
    for (String[] end :
        List.of(
            new String[] {"node", "labin"},
            new String[] {"node", "labout"},
            new String[] {"receiver", "in"})) {
      testbed.run(end[0], "ethtool", "-K", end[1], "gro", "on");
    }
    neighbour("labout", "10.0.1.2", "receiver", "in", "02:00:00:00:02:02");
    neighbour("labin", "10.0.0.2", "sender", "out", "02:00:00:00:01:01");
  }

  private void neighbour(String link, String address, String host, String device, String mac)
      throws IOException {
    testbed.run(host, "ip", "link", "set", "dev", device, "address", mac);
    testbed.run(
        "node", "ip", "neigh", "replace", address, "lladdr", mac, "dev", link, "nud", "permanent");
  }

  private Conversation router() throws IOException {
    String lab = testbed.topology().name();
    List<String> command =
        List.of(
            LabHome.dist().resolve("bin/lab-serval").toString(),
            LabHome.dist().resolve("bin").toString(),
            LabHome.dist().resolve("kernel").toString(),
            Namespaces.name(lab, "sender") + ":out",
            Namespaces.name(lab, "node") + ":labin:labout",
            Namespaces.name(lab, "receiver") + ":in",
            Integer.toString(plan.packets()),
            Integer.toString(plan.rules()));
    Conversation router =
        Conversation.of("lab-serval", testbed.converse("node", "serval", command));
    try {
      if (router.answer().get("rules") != plan.rules()) {
        throw new LabException("the kernel has not all rules");
      }
      return router;
    } catch (IOException e) {
      router.close();
      throw new LabException(testbed.tail("node", "serval", 5));
    }
  }

  /** Starts the router's side of registrations, and lets its code be compiled. */
  private Conversation registrations() throws IOException {
    Conversation registrations =
        Conversation.start(testbed, "sender", "registrations", RegistrationLoad.class);
    for (int i = 0; i < WARM_UP; i++) {
      registrations.ask("round " + plan.registrations());
    }
    return registrations;
  }

  private void round(Conversation router) throws IOException {
    Map<Kind, Double> times = new EnumMap<>(Kind.class);
    for (Kind kind : Kind.values()) {
      Map<String, Double> answer = router.ask(kind.name + " " + kind.live);
      Double arrived = answer.get("received");
      if (arrived == null || arrived < plan.packets()) {
        throw new LabException(kind + ": " + arrived + " of " + plan.packets() + " arrived");
      }
      times.put(kind, answer.get("ns"));
      nanos.computeIfAbsent(kind, unused -> new Figures()).add(answer.get("ns"));
    }
    double forwarding = times.get(Kind.FORWARDED) - times.get(Kind.SENDING);
    few.add(forwarding / (times.get(Kind.FEW) - times.get(Kind.SENDING)));
    many.add(forwarding / (times.get(Kind.MANY) - times.get(Kind.SENDING)));
  }

  private int show() {
    ResultTable table = new ResultTable("what", "n", "median", "90 % interval of it", "goal", "");
    row(table, "sending a datagram of 48 bytes, ns", nanos.get(Kind.SENDING), 0);
    row(table, "with the kernel's forwarding, ns", nanos.get(Kind.FORWARDED), 0);
    row(table, "by serviceID, 4,096 alive, ns", nanos.get(Kind.FEW), 0);
    row(table, "by serviceID, 65,536 alive, ns", nanos.get(Kind.MANY), 0);
    row(table, "rate / kernel's forwarding, 4,096 alive", few, GOAL_FEW);
    row(table, "rate / kernel's forwarding, 65,536 alive", many, GOAL_MANY);
    row(table, "registrations verified a second and core", verified, GOAL_VERIFIED);
    row(table, "registrations refreshed by MAC", refreshed, GOAL_REFRESHED);
    report.show(table);
    boolean met =
        few.median() >= GOAL_FEW
            && many.median() >= GOAL_MANY
            && verified.median() >= GOAL_VERIFIED
            && refreshed.median() >= GOAL_REFRESHED;
    return report.verdict(
        met,
        String.format(
            Locale.ROOT,
            "%.2f and %.2f of the kernel's forwarding rate; %,.0f verified, %,.0f refreshed a second.",
            few.median(),
            many.median(),
            verified.median(),
            refreshed.median()));
  }

  private static void row(ResultTable table, String what, Figures figures, double goal) {
    String form = figures.median() < 100 ? "%.2f" : "%,.0f";
    table.row(
        what,
        figures.count(),
        String.format(Locale.ROOT, form, figures.median()),
        String.format(Locale.ROOT, form + " - " + form, figures.low(), figures.high()),
        goal == 0 ? "" : String.format(Locale.ROOT, goal < 100 ? "%.1f" : "%,.0f", goal),
        goal == 0 ? "" : figures.median() >= goal ? "ok" : "MISSED");
  }
}
