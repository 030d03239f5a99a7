// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.netserv.lab.testbed.Coturn;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Shell;
import org.netserv.lab.testbed.base.Wait;

/**
 * coturn's own client against the relay, in each combination of client leg and options. Many
 * clients run at once, because a client sleeps most of its time. A combination that does not hold
 * is tried against coturn as well.
 *
 * <p>Each client has an address of its own. A client leaves the allocation of its probe behind for
 * ten minutes. Another one that moves to the same address and port would be refused with 437.
 */
final class RelayMatrix {
  private static final String PEER = "203.0.113.10";
  private static final String PEER_6 = "2001:db8:3::10";
  private static final int MIRROR = 3480;
  private static final int AT_ONCE = 16;
  private static final int SECONDS = 50;
  private static final int LIMIT_SECONDS = 20;
  private static final int LIMIT_MESSAGES = 40;
  private static final int LINES = 100;

  private static final Server RELAY = new Server(3478, 5349);
  private static final Server COTURN = new Server(3479, 5350);

  /** Keeps the client from drawing the number of a channel twice, see lab/native/draw.c. */
  private static final String DRAW = "LD_PRELOAD=" + LabHome.dist().resolve("bin/lab-draw.so");

  /** Keeps it also from using a session that it has freed, see lab/native/keep.c. */
  private static final String KEEP = DRAW + ":" + LabHome.dist().resolve("bin/lab-keep.so");

  /** A TURN server, by its ports at the relay's addresses. */
  private record Server(int plain, int secure) {
    private int port(RelayLeg leg) {
      return leg.isSecure() ? secure : plain;
    }
  }

  /** A failure in one of the runs. */
  private record Failure(int run, RelayResult ours) {}

  private final Stage stage;
  private final Testbed testbed;
  private final String secret;
  private final RelayUsers users;
  private Tool coturn;

  RelayMatrix(Stage stage, String secret) {
    this.stage = stage;
    this.testbed = stage.testbed();
    this.secret = secret;
    users = new RelayUsers(testbed);
  }

  /** Starts the peer that sends everything back. */
  Tool mirror() throws IOException {
    return Tool.start(
        testbed,
        "peer",
        stage.unique("mirror"),
        List.of("turnutils_peer", "-L", PEER, "-L", PEER_6, "-p", Integer.toString(MIRROR)));
  }

  /** Tells whether the command line wants any of these rows. */
  boolean wants(List<RelayRow> rows) {
    return !wanted(rows).isEmpty();
  }

  private List<RelayRow> wanted(List<RelayRow> rows) {
    return rows.stream().filter(row -> stage.wants("matrix " + row.name())).toList();
  }

  /**
   * Tries the rows that the command line wants. Returns true if all of them hold in each run.
   *
   * @param runs of all rows, one after the other
   */
  boolean play(List<RelayRow> rows, int runs, int messages) throws IOException {
    List<RelayRow> wanted = wanted(rows);
    if (wanted.isEmpty()) {
      return true;
    }
    RelayGrid grid = new RelayGrid();
    ResultTable totals = new ResultTable("run", "rows", "held", "messages sent", "came back");
    List<Failure> failures = new ArrayList<>();
    for (int run = 1; run <= runs; run++) {
      List<RelayResult> results = all(wanted, RELAY, messages, SECONDS);
      results.forEach(grid::add);
      for (RelayResult result : results) {
        if (!result.holds()) {
          failures.add(new Failure(run, result));
        }
      }
      totals.row(
          run,
          results.size(),
          results.stream().filter(RelayResult::holds).count(),
          results.stream().mapToLong(RelayResult::sent).filter(sent -> sent > 0).sum(),
          results.stream().mapToLong(RelayResult::back).filter(back -> back > 0).sum());
      stage.out().println("  run " + run + ": " + failures.size() + " failures until now");
    }
    stage.show(grid.table());
    stage.show(totals);
    beside(failures, messages);
    return failures.isEmpty();
  }

  /** Tries what has failed once more, against coturn. */
  private void beside(List<Failure> failures, int messages) throws IOException {
    if (failures.isEmpty()) {
      return;
    }
    List<RelayRow> rows = failures.stream().map(f -> f.ours().row()).distinct().toList();
    Map<RelayRow, RelayResult> theirs = byRow(all(rows, coturn(), messages, SECONDS));
    ResultTable table =
        new ResultTable(
            "failed: leg",
            "options",
            "run",
            "sent",
            "came back",
            "the client said",
            "coturn: sent",
            "came back");
    for (Failure failure : failures) {
      RelayResult ours = failure.ours();
      RelayResult other = theirs.get(ours.row());
      table.row(
          ours.row().leg().text(),
          ours.row().what(),
          failure.run(),
          ours.sentText(),
          ours.backText(),
          ours.complaint(),
          other.sentText(),
          other.backText());
    }
    stage.show(table);
  }

  /**
   * Tries the rows in which the client itself keeps messages from coming back, against the relay
   * and against coturn. Returns true if each ends as it must, and the relay serves afterwards.
   */
  boolean limits() throws IOException {
    List<RelayRow> rows = wanted(RelayRows.limits());
    if (rows.isEmpty()) {
      return true;
    }
    Server other = coturn();
    Map<RelayRow, RelayResult> theirs = byRow(all(rows, other, LIMIT_MESSAGES, LIMIT_SECONDS));
    ResultTable table =
        new ResultTable(
            "client leg",
            "options",
            "sent",
            "came back",
            "the client said",
            "coturn: sent",
            "came back",
            "because",
            "");
    boolean holds = true;
    for (RelayResult ours : all(rows, RELAY, LIMIT_MESSAGES, LIMIT_SECONDS)) {
      RelayResult their = theirs.get(ours.row());
      holds &= ours.holds();
      table.row(
          ours.row().leg().text(),
          ours.row().what(),
          ours.sentText(),
          ours.backText(),
          ours.complaint(),
          their.sentText(),
          their.backText(),
          ours.row().end().because(),
          ours.holds() ? "ok" : "FAILED");
    }
    stage.show(table);
    return play(RelayRows.afterwards(), 1, LIMIT_MESSAGES) && holds;
  }

  /**
   * Tells whether the relay has counted what the rows of {@link #limits} did to it.
   *
   * @param log the counters of the relay that they were played against
   */
  boolean counted(RelayLog log) {
    ResultTable table = new ResultTable("because", "counter", "count", "");
    boolean holds = true;
    for (RelayRow.End end : RelayRow.End.values()) {
      boolean played =
          !end.counter().isEmpty()
              && wanted(RelayRows.limits()).stream()
                  .anyMatch(row -> row.end() == end && row.leg().isStream());
      if (played) {
        long count = log.last(end.counter());
        holds &= count > 0;
        table.row(end.because(), end.counter(), count, count > 0 ? "ok" : "FAILED");
      }
    }
    if (wants(RelayRows.limits())) {
      stage.show(table);
    }
    return holds;
  }

  private static Map<RelayRow, RelayResult> byRow(List<RelayResult> results) {
    Map<RelayRow, RelayResult> byRow = new HashMap<>();
    results.forEach(result -> byRow.put(result.row(), result));
    return byRow;
  }

  /** Returns coturn on the relay's node, which is started when it is first asked for. */
  private Server coturn() throws IOException {
    if (coturn == null) {
      String key = testbed.state().resolve("coturn.key").toString();
      String certificate = testbed.state().resolve("coturn.pem").toString();
      Shell.run(
          "openssl",
          "req",
          "-x509",
          "-newkey",
          "ec",
          "-pkeyopt",
          "ec_paramgen_curve:P-256",
          "-nodes",
          "-days",
          "30",
          "-subj",
          "/CN=node",
          "-keyout",
          key,
          "-out",
          certificate);
      coturn =
          Coturn.startWhole(
              testbed,
              "node",
              List.of(RelayLeg.SERVER, RelayLeg.SERVER_6),
              COTURN.plain(),
              secret,
              new Coturn.Tls(COTURN.secure(), certificate, key));
      Wait.pause(2000);
    }
    return COTURN;
  }

  /** Ends coturn, if it was needed. */
  void end() {
    if (coturn != null) {
      coturn.process().destroy();
    }
  }

  private List<RelayResult> all(List<RelayRow> rows, Server at, int messages, int seconds)
      throws IOException {
    ExecutorService clients = Executors.newFixedThreadPool(AT_ONCE);
    try {
      List<Future<RelayResult>> running = new ArrayList<>();
      for (RelayRow row : rows) {
        running.add(clients.submit(() -> attempt(row, at, messages, seconds)));
      }
      List<RelayResult> results = new ArrayList<>();
      for (Future<RelayResult> one : running) {
        results.add(one.get());
      }
      return results;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LabException("interrupted");
    } catch (ExecutionException e) {
      throw new LabException("coturn's client: " + e.getCause());
    } finally {
      clients.shutdownNow();
    }
  }

  private RelayResult attempt(RelayRow row, Server at, int messages, int seconds)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "env",
                row.endsSessions() ? KEEP : DRAW,
                "timeout",
                Integer.toString(seconds),
                "turnutils_uclient",
                "-n",
                Integer.toString(messages),
                "-m",
                "4",
                "-z",
                "5",
                "-e",
                row.sixPeer() ? PEER_6 : PEER,
                "-r",
                Integer.toString(MIRROR),
                "-p",
                Integer.toString(at.port(row.leg())),
                "-u",
                "user",
                "-W",
                secret));
    command.addAll(row.all());
    if (!row.hasAddress()) {
      command.addAll(List.of("-L", users.next(row.leg().isSix())));
    }
    command.add(row.leg().server());
    String name = stage.unique("uclient");
    Tool.start(testbed, "user", name, command).process().onExit().join();
    return RelayResult.of(row, testbed.tail("user", name, LINES));
  }
}
