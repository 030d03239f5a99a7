// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
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
import org.netserv.lab.testbed.capture.Capture;
import org.netserv.lab.testbed.capture.SalMoves;
import org.netserv.lab.testbed.tool.PacedStream;

/**
 * Measures moves of a client that gets 1,000 bytes by name each millisecond. With both links up the
 * default route changes from one to the other and back, and each move has its turn beside the same
 * time without one. Then the old link goes down, and the route to the other one comes 1.2 s later.
 * All times of data begin before the order for the route.
 */
final class MoveBench {
  private static final String CLIENT = "client";
  private static final String SERVER = "server";
  private static final String ID = "00004001";
  private static final int PORT = 7000;
  private static final List<Way> WAYS = List.of(Way.THREE, Way.ONE);
  private static final int MOVES = 20;
  private static final int WATCHED = 150; // milliseconds behind a move
  private static final int DEAD = 1200;
  private static final int SETTLE = 500;
  private static final double MILLION = 1e6;
  private static final String MOVED = "with a move";
  private static final String UNMOVED = "without a move";
  private static final String GAP = "longest gap, ms";

  /** A link of the client, and its router. */
  private enum Way {
    ONE("one", "10.1.0.1"),
    THREE("three", "10.3.0.1");

    private final String link;
    private final String router;

    Way(String link, String router) {
      this.link = link;
      this.router = router;
    }
  }

  private final PartRun run;
  private final Testbed testbed;
  private final FigureTable figures = new FigureTable();
  private final Figures exchanges = new Figures();
  private final Figures added = new Figures();
  private final Figures again = new Figures();
  private Conversation reader;
  private OutputStream routes;

  private MoveBench(PartRun run) {
    this.run = run;
    this.testbed = run.testbed();
  }

  static void measure(PartRun run) throws IOException {
    new MoveBench(run).measure();
  }

  private void measure() throws IOException {
    SalHost client = prepare();
    Process ip = testbed.converse(CLIENT, "routes", List.of("ip", "-force", "-batch", "-"));
    String address = client.address(ID);
    try (Conversation paced =
            Conversation.start(testbed, CLIENT, "paced", PacedStream.class, "read", address, PORT);
        OutputStream orders = ip.getOutputStream()) {
      reader = paced;
      routes = orders;
      Wait.pause(SETTLE);
      bothUp();
      for (int round = 1; round <= run.plan().rounds(); round++) {
        run.step().begin("dead link " + round + " of " + run.plan().rounds());
        dead();
      }
    }
    run.report().show(figures.table());
    run.goals().control(Part.MOVE, run.control(SERVER));
    run.goals().put(Goal.MOVE_EXCHANGE, exchanges);
    run.goals().put(Goal.MOVE_GAP, added);
    run.goals().put(Goal.MOVE_DEAD, again);
  }

  private SalHost prepare() throws IOException {
    Tool.start(testbed, SERVER, "paced", Testbed.tool(PacedStream.class, "send", PORT))
        .await("ready");
    SalHost server = SalHost.start(testbed, SERVER, "eth0");
    SalHost client = SalHost.start(testbed, CLIENT, Way.ONE.link, Way.THREE.link);
    server.order("register id=" + ID + " port=" + PORT);
    client.order("forward id=" + ID + " to=192.0.2.10");
    return client;
  }

  /** Moves to the other link and back, with a capture on each. */
  private void bothUp() throws IOException {
    List<Capture> captures = List.of(capture(Way.ONE), capture(Way.THREE));
    int moves = 0;
    for (int round = 1; round <= run.plan().rounds(); round++) {
      run.begin(round);
      for (int i = 0; i < MOVES; i++) {
        round(WAYS.get(moves++ % WAYS.size()));
      }
    }
    for (Capture capture : captures) {
      for (long nanos : SalMoves.exchanges(capture.timedSoFar())) {
        exchanges.add(nanos / MILLION);
      }
    }
    if (exchanges.count() != moves) {
      throw new LabException(exchanges.count() + " exchanges of " + moves + " moves");
    }
  }

  private Capture capture(Way way) throws IOException {
    return Capture.start(testbed, CLIENT, way.link, way.link, SalMoves.FILTER);
  }

  private void round(Way to) throws IOException {
    double without = watch(null).get("gap");
    double with = watch(to).get("gap");
    figures.of(UNMOVED, GAP).add(without);
    figures.of(MOVED, GAP).add(with);
    added.add(with - without);
  }

  /** Moves the client, if there is somewhere to move to, and returns the times of the data. */
  private Map<String, Double> watch(Way to) throws IOException {
    reader.ask("begin");
    if (to != null) {
      move(to);
    }
    Wait.pause(2 * WATCHED);
    return reader.ask("gap " + WATCHED);
  }

  /** Has the client's {@code ip}, which runs all the time, change the default route. */
  private void move(Way to) throws IOException {
    routes.write(
        ("route replace default via " + to.router + "\n").getBytes(StandardCharsets.US_ASCII));
    routes.flush();
  }

  private void dead() throws IOException {
    testbed.run(CLIENT, "ip", "link", "set", Way.ONE.link, "down");
    Wait.pause(DEAD);
    double first = watch(Way.THREE).get("first");
    again.add(first);
    figures.of("dead link", "data again, ms").add(first);
    Wait.pause(SETTLE);
    testbed.run(CLIENT, "ip", "link", "set", Way.ONE.link, "up");
    Wait.pause(SETTLE);
    move(Way.ONE);
    Wait.pause(SETTLE);
  }
}
