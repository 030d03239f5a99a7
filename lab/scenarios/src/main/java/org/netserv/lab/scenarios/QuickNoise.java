// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import static org.netserv.lab.scenarios.Neighbourhood.LIMITED;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.HostileBundle;
import org.netserv.lab.testbed.base.ResultTable;

/**
 * The short form of {@link NoisyNeighbour}: one fixed rate, three neighbours, counts only. It needs
 * one processor, which the node and its users share. The control is the same responder, within its
 * limits, beside neighbours with quotas as high as they go.
 */
public final class QuickNoise implements Scenario {
  private static final int NEIGHBOURS = 3;
  private static final int RATE = 4000;
  private static final int SECONDS = 4;
  private static final int FLOOD_RATE = 3000;
  private static final int FLOOD_SECONDS = SECONDS + 4;

  /** Share of keep-alives that may be lost where the limits hold, or where nobody burns. */
  private static final double MOST_LOST = 0.001;

  /** Share of keep-alives that must be lost beside neighbours without limits. */
  private static final double LEAST_LOST = 0.05;

  /**
   * Prefix for the users' commands. Users are other machines, so their tools do not wait for the
   * node's processes.
   */
  private static final List<String> USERS = List.of("chrt", "-f", "1");

  private Stage stage;
  private Neighbourhood place;
  private final ResultTable table =
      new ResultTable(
          "neighbours", "their limits", "keep-alives/s", "sent", "lost", "lost %", "must be", "");

  @Override
  public String topology() {
    return "noisy-quick";
  }

  @Override
  public boolean play(Stage opened) throws IOException {
    stage = opened;
    place = new Neighbourhood(stage, NEIGHBOURS, USERS);
    Path noise =
        HostileBundle.build("Crowd", stage.testbed().state(), HostileBundle.IMPORTS, "Noisy");
    stage.step("the keep-alive responder alone");
    place.deploy(LIMITED);
    place.send(LIMITED, RATE, SECONDS); // so that hot code is compiled
    boolean alone = counted("none", "-", true);
    stage.step("beside " + NEIGHBOURS + " within their limits");
    place.setUpNeighbours(true, noise);
    boolean limited = flooded("on", true);
    stage.step("beside " + NEIGHBOURS + " without limits");
    place.removeNoisy();
    place.raiseNeighbours();
    place.setUpNeighbours(false, noise);
    boolean unlimited = flooded("off", false);
    stage.show(table);
    return alone && limited && unlimited;
  }

  private boolean flooded(String limits, boolean well) throws IOException {
    place.flood(FLOOD_RATE, FLOOD_SECONDS);
    return counted(NEIGHBOURS + " that burn", limits, well);
  }

  private boolean counted(String neighbours, String limits, boolean well) throws IOException {
    Map<String, Long> counters = place.counters(LIMITED);
    Map<String, Long> result = place.send(LIMITED, RATE, SECONDS);
    long sent = result.get("sent");
    long lost = sent - result.get("answered");
    boolean right = well ? lost <= sent * MOST_LOST : lost >= sent * LEAST_LOST;
    if (!right) {
      place.printMoved(LIMITED, counters);
    }
    table.row(
        neighbours,
        limits,
        RATE,
        sent,
        lost,
        "%.2f".formatted(100.0 * lost / sent),
        well ? "<= 0.1 %" : ">= 5 %",
        right ? "ok" : "WRONG");
    return right;
  }
}
