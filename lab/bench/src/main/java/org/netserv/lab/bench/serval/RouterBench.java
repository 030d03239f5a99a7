// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.netserv.lab.bench.Conversation;
import org.netserv.lab.bench.FigureTable;
import org.netserv.lab.bench.Figures;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.VethCard;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Namespaces;

/**
 * Measures the time of a datagram through a router, all on one processor: by the kernel's own
 * forwarding, and by serviceID in the kernel, with short and with full packets. Each kind has its
 * turn in each round. The time of sending the datagram is measured, too, and taken off both.
 */
final class RouterBench {
  /** Bytes of the payload behind both headers. A full packet has 1,500 with the router's list. */
  private static final int SHORT = 48;

  private static final int FULL = 1336;
  private static final int FEW_LIVE = 4000;
  private static final int MANY_LIVE = 64_000;
  private static final int RULES = 100_000;
  private static final int PACKETS = 1_000_000;
  private static final String FEW_TEXT = "4,000 IDs";
  private static final String MANY_TEXT = "64,000 IDs";

  /** A kind of run: its name in lab-serval, the serviceIDs that are alive, and the payload. */
  private enum Kind {
    SENDING("sending alone", "none", 1, SHORT),
    FORWARDED("kernel's forwarding", "kernel", 1, SHORT),
    FEW("by serviceID, " + FEW_TEXT, "serval", FEW_LIVE, SHORT),
    MANY("by serviceID, " + MANY_TEXT, "serval", MANY_LIVE, SHORT),
    FULL_SENDING("sending alone", "none", 1, FULL),
    FULL_FORWARDED("kernel's forwarding", "kernel", 1, FULL),
    FULL_FEW("by serviceID, " + FEW_TEXT, "serval", FEW_LIVE, FULL),
    FULL_MANY("by serviceID, " + MANY_TEXT, "serval", MANY_LIVE, FULL);

    private final String text;
    private final String name;
    private final int live;
    private final int payload;

    Kind(String text, String name, int live, int payload) {
      this.text = text;
      this.name = name;
      this.live = live;
      this.payload = payload;
    }

    private String what() {
      return payload == SHORT ? "ns, 48 B" : "ns, full packets";
    }

    private Kind sending() {
      return payload == SHORT ? SENDING : FULL_SENDING;
    }

    private Kind forwarded() {
      return payload == SHORT ? FORWARDED : FULL_FORWARDED;
    }
  }

  private final PartRun run;
  private final Testbed testbed;
  private final int packets;
  private final FigureTable figures = new FigureTable();
  private final Map<Kind, Figures> ratios = new EnumMap<>(Kind.class);

  private RouterBench(PartRun run) {
    this.run = run;
    this.testbed = run.testbed();
    this.packets = run.plan().of(PACKETS, PACKETS / 5);
    for (Kind kind : List.of(Kind.FEW, Kind.MANY, Kind.FULL_FEW, Kind.FULL_MANY)) {
      ratios.put(kind, new Figures());
    }
  }

  static void measure(PartRun run) throws IOException {
    new RouterBench(run).measure();
  }

  private void measure() throws IOException {
    wire();
    try (Conversation router = router()) {
      for (int round = 1; round <= run.plan().rounds(); round++) {
        run.begin(round);
        round(router);
      }
    }
    run.report().show(figures.table());
    run.goals().put(Goal.ROUTER_SHORT, ratios.get(Kind.FEW));
    run.goals().put(Goal.ROUTER_MANY, ratios.get(Kind.MANY));
    run.goals().put(Goal.ROUTER_FULL, FEW_TEXT, ratios.get(Kind.FULL_FEW));
    run.goals().put(Goal.ROUTER_FULL, MANY_TEXT, ratios.get(Kind.FULL_MANY));
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
            Integer.toString(packets),
            Integer.toString(RULES));
    Conversation router =
        Conversation.of("lab-serval", testbed.converse("node", "serval", command));
    try {
      Map<String, Double> rules = router.answer();
      if (rules.get("rules") != RULES) {
        throw new LabException("the kernel has not all rules");
      }
      figures.of("kernel", "rules added a second").add(rules.get("added"));
      figures.of("kernel", "memory of a rule, bytes").add(rules.get("bytes"));
      return router;
    } catch (IOException e) {
      router.close();
      throw new LabException(testbed.tail("node", "serval", 5));
    }
  }

  private void round(Conversation router) throws IOException {
    Map<Kind, Double> times = new EnumMap<>(Kind.class);
    for (Kind kind : Kind.values()) {
      Map<String, Double> answer = router.ask(kind.name + " " + kind.live + " " + kind.payload);
      Double arrived = answer.get("received");
      if (arrived == null || arrived < packets) {
        throw new LabException(kind + ": " + arrived + " of " + packets + " arrived");
      }
      times.put(kind, answer.get("ns"));
      figures.of(kind.text, kind.what()).add(answer.get("ns"));
    }
    ratios.forEach((kind, ratio) -> ratio.add(ratio(times, kind)));
  }

  /** Returns the rate of a kind as a part of the kernel's forwarding, without the sender's time. */
  private static double ratio(Map<Kind, Double> times, Kind kind) {
    double sending = times.get(kind.sending());
    return (times.get(kind.forwarded()) - sending) / (times.get(kind) - sending);
  }
}
