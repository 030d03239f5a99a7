// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.deny;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.netserv.lab.scenarios.Scenario;
import org.netserv.lab.scenarios.Stage;
import org.netserv.lab.scenarios.deny.Attempt.Control;
import org.netserv.lab.scenarios.deny.Attempt.Kind;
import org.netserv.lab.testbed.HostileBundle;
import org.netserv.lab.testbed.NodeKernel;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.policy.LayerCovers;

/**
 * Runs hostile modules, one per attempt. Each attempt has to be denied in a container as it is. It
 * has to succeed in a container without any layer, or there was nothing to deny. The scenario shows
 * which layers deny an attempt by leaving them out one after the other. All the while a neighbour's
 * keep-alive module answers.
 */
public final class DenyMatrix implements Scenario {
  private static final double LEAST_PERCENT = 99.9;
  private static final int WIDTH = 48;

  /** Outcomes of one attempt. */
  private static final class Row {
    Outcome confined;
    Outcome control;
  }

  private Stage stage;
  private Testbed testbed;
  private AttemptTrial trial;
  private Grounds grounds;
  private final Map<Attempt, Row> rows = new LinkedHashMap<>();

  @Override
  public String topology() {
    return "deny";
  }

  @Override
  public boolean play(Stage opened) throws IOException {
    stage = opened;
    testbed = stage.testbed();
    stage.step("build the attempts; a neighbour's keep-alive module on each node");
    Path classes = HostileBundle.compileAttempts(testbed.state());
    try (User one = new User(testbed);
        User other = new User(testbed)) {
      grounds = new Grounds(testbed, classes, Map.of("node", one, "control", other));
      int jdk = jdk();
      NodeKernel kernel = NodeKernel.of(testbed, "node");
      if (!kernel.missing().isEmpty()) {
        String covered =
            String.join("; ", LayerCovers.inWords(LayerCovers.among(kernel.missing())));
        stage.out().println("  this kernel lacks " + kernel.missing() + "; " + covered);
      }
      List<Attempt> attempts =
          Attempts.all(new Sights(testbed, Attempts.SINK)).stream()
              .filter(attempt -> attempt.since() <= jdk)
              .filter(attempt -> stage.wants(attempt.name()))
              .filter(attempt -> canRace() || !attempt.name().equals(Attempts.RACE))
              .map(attempt -> attempt.stoppedBy(LayerRows.there(attempt.layers(), kernel)))
              .toList();
      if (attempts.isEmpty()) {
        throw new LabException("no attempt is called so");
      }
      if (!canRace() && stage.wants(Attempts.RACE)) {
        stage.out().println("not tried here: " + Attempts.RACE + " (needs two processors)");
      }
      trial = new AttemptTrial(classes, attempts);
      attempts.forEach(attempt -> rows.put(attempt, new Row()));
      try (Neighbour neighbour =
          new Neighbour(testbed, grounds.ground("node", Attempt.HARMLESS).server())) {
        return show(attempts(), neighbour.result(), jdk);
      }
    }
  }

  private static boolean canRace() {
    return Runtime.getRuntime().availableProcessors() > 1;
  }

  /** Returns the Java version that the nodes run on. */
  private int jdk() throws IOException {
    String release = Files.readString(testbed.java().resolve("release"));
    return Integer.parseInt(release.replaceAll("(?s).*JAVA_VERSION=\"(\\d+).*", "$1"));
  }

  private Peeling attempts() throws IOException {
    stage.step("in a container as it is, and at the same time in one without any layer");
    CompletableFuture<Void> controls = CompletableFuture.runAsync(() -> controls(true));
    for (Map.Entry<Attempt, Row> row : rows.entrySet()) {
      row.getValue().confined = confined(row.getKey());
      say("node", row.getKey(), row.getValue().confined);
    }
    controls(false);
    controls.join();
    for (Ground place : places.values()) {
      place.clear();
    }
    stage.step("without the layers that deny it, and with each of them alone");
    Peeling peeling = new Peeling(trial, grounds, this::say);
    rows.forEach(
        (attempt, row) -> {
          if (beyondJava(attempt, row) || (attempt.removable() && denied(row))) {
            peeling.add(attempt, row.confined);
          }
        });
    peeling.run();
    rows.forEach(
        (attempt, row) ->
            row.control = row.control == null ? peeling.counterpart(attempt) : row.control);
    return peeling;
  }

  private static boolean denied(Row row) {
    return row.control.succeeded() && !row.confined.succeeded();
  }

  /**
   * Returns true if a part that is no layer stops the attempt, but the attempt meets the layer
   * {@code java} first.
   */
  private static boolean beyondJava(Attempt attempt, Row row) {
    return !attempt.removable() && LayerRows.isJava(row.confined);
  }

  /**
   * Runs the controls of one node.
   *
   * @param elsewhere true for the controls on the node of the controls, false for the controls on
   *     the other node
   */
  private void controls(boolean elsewhere) {
    rows.forEach(
        (attempt, row) -> {
          boolean counterpart = attempt.control().kind() == Kind.COUNTERPART;
          if (counterpart != elsewhere && !(counterpart && beyondJava(attempt, row))) {
            row.control = control(attempt);
            say("control", attempt, row.control);
          }
        });
  }

  private void say(String where, Attempt attempt, Outcome outcome) {
    String word = outcome.succeeded() ? "succeeds" : "denied";
    stage
        .out()
        .printf("  %-8s %-34s %-9s %s%n", where, attempt.name(), word, outcome.brief(2 * WIDTH));
  }

  private final Map<String, Ground> places = new ConcurrentHashMap<>();

  private Ground place(String node, String publisher) {
    return places.computeIfAbsent(node + "/" + publisher, key -> grounds.ground(node, publisher));
  }

  private Outcome confined(Attempt attempt) {
    Ground ground = place("node", attempt.ground());
    return AttemptTrial.tried(() -> trial.in(ground, attempt, attempt.argument(), attempt.judge()));
  }

  private Outcome control(Attempt attempt) {
    Control control = attempt.control();
    return switch (control.kind()) {
      case UNCONFINED -> {
        Ground ground = place("control", attempt.ground());
        yield AttemptTrial.tried(
            () -> trial.in(ground, attempt, attempt.argument(), attempt.judge()));
      }
      case PLAIN ->
          AttemptTrial.tried(
              () -> trial.plain(testbed, place("control", attempt.ground()), attempt));
      case COUNTERPART -> {
        Ground ground = place("node", attempt.ground());
        yield AttemptTrial.tried(
            () -> trial.in(ground, attempt, control.argument(), control.judge()));
      }
    };
  }

  private boolean show(Peeling peeling, Neighbour.Result neighbour, int jdk) {
    ResultTable table =
        new ResultTable("attempt", "control", "denied by", "what it saw", "without that layer", "");
    int bad = 0;
    for (Map.Entry<Attempt, Row> entry : rows.entrySet()) {
      Attempt attempt = entry.getKey();
      Row row = entry.getValue();
      boolean tried = !row.confined.saw().startsWith(AttemptTrial.NOT_TRIED);
      boolean right =
          row.control.succeeded()
              && tried
              && !row.confined.succeeded()
              && peeling.explained(attempt);
      bad += right ? 0 : 1;
      table.row(
          attempt.name(),
          control(attempt, row.control),
          row.confined.succeeded() ? "NOT DENIED" : peeling.layer(attempt),
          row.confined.brief(WIDTH),
          row.control.succeeded() && !row.confined.succeeded() ? peeling.without(attempt) : "-",
          right ? "ok" : "WRONG");
    }
    stage.show(table);
    boolean answered = neighbour.percent() >= LEAST_PERCENT;
    stage.show(
        new ResultTable("JDK", "attempts", "hold", "neighbour sent", "answered", "%", "")
            .row(
                jdk,
                rows.size(),
                rows.size() - bad,
                neighbour.sent(),
                neighbour.answered(),
                "%.2f".formatted(neighbour.percent()),
                answered ? "ok" : "WRONG"));
    return bad == 0 && answered;
  }

  private static String control(Attempt attempt, Outcome outcome) {
    String how = attempt.control().how();
    if (outcome.succeeded()) {
      return switch (attempt.control().kind()) {
        case UNCONFINED -> "succeeds";
        case PLAIN -> "succeeds: plain JVM without " + how;
        case COUNTERPART -> "succeeds: " + how;
      };
    }
    return "FAILS: " + outcome.brief(WIDTH);
  }
}
