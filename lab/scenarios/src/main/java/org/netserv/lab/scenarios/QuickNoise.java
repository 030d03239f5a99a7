// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import static org.netserv.lab.scenarios.Neighbourhood.LIMITED;
import static org.netserv.lab.scenarios.Neighbourhood.OPEN;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.netserv.lab.scenarios.Neighbourhood.Victim;
import org.netserv.lab.testbed.HostileBundle;
import org.netserv.lab.testbed.base.ResultTable;

/**
 * The short form of {@link NoisyNeighbour}: one fixed rate, three neighbours, counts only. It needs
 * one processor, which the node and its users share. A neighbour burns with so many threads that an
 * equal share of the processor is too little for the responder.
 */
public final class QuickNoise implements Scenario {
  private static final int NEIGHBOURS = 3;
  private static final int RATE = 4000;
  private static final int SECONDS = 4;
  private static final int FLOOD_RATE = 3000;
  private static final int FLOOD_SECONDS = SECONDS + 4;

  /** Of the keep-alives: what may be lost where the limits hold, or where nobody burns. */
  private static final double MOST_LOST = 0.001;

  /** Of the keep-alives: what must be lost beside the noise without limits. */
  private static final double LEAST_LOST = 0.05;

  /** Users are other machines, so their tools do not wait for the node's processes. */
  private static final List<String> USERS = List.of("chrt", "-f", "1");

  private static final Path AUTOGROUP = Path.of("/proc/sys/kernel/sched_autogroup_enabled");

  private Stage stage;
  private Neighbourhood place;
  private final ResultTable table =
      new ResultTable(
          "limits", "neighbours", "keep-alives/s", "sent", "lost", "lost %", "must be", "");

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
    stage.step(
        "the keep-alive responder alone, then beside " + NEIGHBOURS + " within their limits");
    place.deploy(LIMITED);
    boolean quiet = alone(LIMITED);
    place.setUpNeighbours(LIMITED, noise);
    boolean limited = flooded(LIMITED);
    stage.step("another responder alone, then beside " + NEIGHBOURS + ", all without limits");
    place.withoutLimits();
    place.removeNoisy();
    place.deploy(OPEN);
    boolean open = alone(OPEN);
    place.setUpNeighbours(OPEN, noise);
    boolean unlimited = flooded(OPEN);
    stage.show(table);
    return quiet && limited && open && unlimited;
  }

  /** Sends once so that what runs often is compiled, then to be counted. */
  private boolean alone(Victim victim) throws IOException {
    place.send(victim, RATE, SECONDS);
    return counted(victim, "none", true);
  }

  private boolean flooded(Victim victim) throws IOException {
    place.flood(FLOOD_RATE, FLOOD_SECONDS);
    return counted(victim, NEIGHBOURS + " that burn", victim.limited());
  }

  private boolean counted(Victim victim, String neighbours, boolean well) throws IOException {
    Map<String, Long> counters = place.counters(victim);
    Map<String, Long> result = place.send(victim, RATE, SECONDS);
    long sent = result.get("sent");
    long lost = sent - result.get("answered");
    boolean right = well ? lost <= sent * MOST_LOST : lost >= sent * LEAST_LOST;
    boolean fair = !well && autogroup();
    if (!right) {
      place.printMoved(victim, counters);
    }
    table.row(
        victim.limited() ? "on" : "off",
        neighbours,
        RATE,
        sent,
        lost,
        "%.2f".formatted(100.0 * lost / sent),
        well ? "<= 0.1 %" : ">= 5 %",
        right ? "ok" : fair ? "not judged: autogroup" : "WRONG");
    return right || fair;
  }

  /**
   * True when the kernel may give each session an equal share of the processor. Noise without our
   * limits then hurts nobody. A cgroup with the cpu controller takes its sessions out of this.
   */
  private static boolean autogroup() throws IOException {
    return Files.exists(AUTOGROUP) && Files.readString(AUTOGROUP).strip().equals("1");
  }
}
