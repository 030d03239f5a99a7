// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.netserv.lab.bench.BenchTestbed;
import org.netserv.lab.bench.Conversation;
import org.netserv.lab.bench.Figures;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.VethCard;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Namespaces;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.Step;
import org.netserv.lab.testbed.tool.RegistrationLoad;
import org.netserv.lab.testbed.tool.RuleLoad;

/**
 * Measures the time of a datagram through a router, all on one processor: by the kernel's own
 * forwarding, and by serviceID in the kernel, with short and with full packets. Each kind has its
 * turn in each round. The time of sending the datagram is measured, too, and taken off both. The
 * bench also measures the rules of a table in Java and signed registrations, by the processor time
 * of the router's side.
 */
public final class ServalBench {
  /** Bytes of the payload behind both headers. A full packet has 1,500 with the router's list. */
  private static final int SHORT = 48;

  private static final int FULL = 1336;

  /** A kind of run: its name in lab-serval, the serviceIDs that are alive, and the payload. */
  private enum Kind {
    SENDING("none", 1, SHORT),
    FORWARDED("kernel", 1, SHORT),
    FEW("serval", 4000, SHORT),
    MANY("serval", 64_000, SHORT),
    FULL_SENDING("none", 1, FULL),
    FULL_FORWARDED("kernel", 1, FULL),
    FULL_FEW("serval", 4000, FULL);

    private final String name;
    private final int live;
    private final int payload;

    Kind(String name, int live, int payload) {
      this.name = name;
      this.live = live;
      this.payload = payload;
    }
  }

  private static final int WARM_UP = 3;
  private static final double GOAL_FEW = 1.5;
  private static final double GOAL_MANY = 0.9;
  private static final double GOAL_FULL = 0.97;
  private static final double GOAL_ADDED = 100_000;
  private static final double GOAL_VERIFIED = 2000;
  private static final double GOAL_REFRESHED = 50_000;

  private final ServalPlan plan;
  private final Report report;
  private final Step step;
  private final Testbed testbed;
  private final Map<Kind, Figures> nanos = new EnumMap<>(Kind.class);
  private final Figures few = new Figures();
  private final Figures many = new Figures();
  private final Figures full = new Figures();
  private final Figures kernelAdded = new Figures();
  private final Figures kernelBytes = new Figures();
  private final Figures added = new Figures();
  private final Figures bytes = new Figures();
  private final Figures withdrawn = new Figures();
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
    return BenchTestbed.measure(
        "serval-bench",
        report,
        (testbed, step) -> new ServalBench(plan, report, step, testbed).measure());
  }

  private int measure() throws IOException {
    wire();
    try (Conversation router = router();
        Conversation table = Conversation.start(testbed, "sender", "rules", RuleLoad.class);
        Conversation registrations = registrations()) {
      table.ask("round " + plan.rules());
      for (int round = 1; round <= plan.rounds(); round++) {
        step.begin("round " + round + " of " + plan.rounds());
        round(router);
        Map<String, Double> rules = table.ask("round " + plan.held());
        added.add(rules.get("added"));
        bytes.add(rules.get("bytes"));
        withdrawn.add(rules.get("withdrawn"));
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
      new VethCard(testbed, end[0], end[1]).takesRedirected();
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
      Map<String, Double> rules = router.answer();
      if (rules.get("rules") != plan.rules()) {
        throw new LabException("the kernel has not all rules");
      }
      kernelAdded.add(rules.get("added"));
      kernelBytes.add(rules.get("bytes"));
      return router;
    } catch (IOException e) {
      router.close();
      throw new LabException(testbed.tail("node", "serval", 5));
    }
  }

  /** Starts the router's side of registrations, and lets its code be compiled. */
  private Conversation registrations() throws IOException {
    Conversation registrations =
        Conversation.start(
            testbed,
            "sender",
            "registrations",
            RegistrationLoad.class,
            LabHome.dist().resolve("apps/service-router.jar"));
    for (int i = 0; i < WARM_UP; i++) {
      registrations.ask("round " + plan.registrations());
    }
    return registrations;
  }

  private void round(Conversation router) throws IOException {
    Map<Kind, Double> times = new EnumMap<>(Kind.class);
    for (Kind kind : Kind.values()) {
      Map<String, Double> answer = router.ask(kind.name + " " + kind.live + " " + kind.payload);
      Double arrived = answer.get("received");
      if (arrived == null || arrived < plan.packets()) {
        throw new LabException(kind + ": " + arrived + " of " + plan.packets() + " arrived");
      }
      times.put(kind, answer.get("ns"));
      nanos.computeIfAbsent(kind, unused -> new Figures()).add(answer.get("ns"));
    }
    few.add(ratio(times, Kind.SENDING, Kind.FORWARDED, Kind.FEW));
    many.add(ratio(times, Kind.SENDING, Kind.FORWARDED, Kind.MANY));
    full.add(ratio(times, Kind.FULL_SENDING, Kind.FULL_FORWARDED, Kind.FULL_FEW));
  }

  /** Returns the rate of a kind as a part of the kernel's forwarding, without the sender's time. */
  private static double ratio(Map<Kind, Double> times, Kind sending, Kind forwarded, Kind kind) {
    return (times.get(forwarded) - times.get(sending)) / (times.get(kind) - times.get(sending));
  }

  private int show() {
    GoalTable table = new GoalTable();
    table.row("sending a datagram of 48 bytes, ns", nanos.get(Kind.SENDING));
    table.row("with the kernel's forwarding, ns", nanos.get(Kind.FORWARDED));
    table.row("by serviceID, 4,000 alive, ns", nanos.get(Kind.FEW));
    table.row("by serviceID, 64,000 alive, ns", nanos.get(Kind.MANY));
    table.row("sending a full packet, ns", nanos.get(Kind.FULL_SENDING));
    table.row("the same with the kernel's forwarding, ns", nanos.get(Kind.FULL_FORWARDED));
    table.row("the same by serviceID, 4,000 alive, ns", nanos.get(Kind.FULL_FEW));
    table.least("rate / kernel's forwarding, 4,000 alive", few, GOAL_FEW);
    table.least("rate / kernel's forwarding, 64,000 alive", many, GOAL_MANY);
    table.least("rate / kernel's forwarding, full packets", full, GOAL_FULL);
    table.row("rules put into the kernel, a second", kernelAdded);
    table.row("kernel's memory for a rule, bytes", kernelBytes);
    table.least(held("added to the table, a second"), added, GOAL_ADDED);
    table.row(held("heap for each, bytes"), bytes);
    table.row(held("withdrawn, a second"), withdrawn);
    table.least("registrations verified a second and core", verified, GOAL_VERIFIED);
    table.least("registrations refreshed by MAC", refreshed, GOAL_REFRESHED);
    report.show(table.table());
    return report.verdict(
        table.met(),
        String.format(
            Locale.ROOT,
            "%.2f and %.2f of the kernel's forwarding rate, full packets %.2f; %,.0f rules added,"
                + " %,.0f registrations verified, %,.0f refreshed a second.",
            few.median(),
            many.median(),
            full.median(),
            added.median(),
            verified.median(),
            refreshed.median()));
  }

  private String held(String what) {
    return String.format(Locale.ROOT, "%,d rules, %s", plan.held(), what);
  }
}
