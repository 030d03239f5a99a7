// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import static org.netserv.lab.scenarios.Neighbourhood.LIMITED;
import static org.netserv.lab.scenarios.Neighbourhood.OPEN;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.netserv.lab.scenarios.Neighbourhood.Victim;
import org.netserv.lab.testbed.CpuQuota;
import org.netserv.lab.testbed.HostileBundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.ResultTable;

/**
 * Runs a keep-alive module at half of its highest rate, while its neighbours burn CPU and memory
 * and get a flood of packets. It must lose nothing, and its own quota must never stop it.
 *
 * <p>With the limits off the module must fail, or there was no noise. The limits are off for all
 * containers, the measured module's included. With a cgroup of its own the module would be safe
 * from neighbours without one, because they would not have the weight of the node.
 */
public final class NoisyNeighbour implements Scenario {
  private static final int NEIGHBOURS = 10;
  private static final double MOST_LOST = 0.001;

  private static final int FIRST_RATE = 250;
  private static final int LAST_RATE = 128_000;
  private static final int HALVINGS = 2;
  private static final int SEARCH_SECONDS = 2;
  private static final int NOISE_SECONDS = 8;

  private static final int FLOOD_RATE = 20_000;
  private static final int FLOOD_SECONDS = NOISE_SECONDS + 6;

  /**
   * Prefix for the users' commands. Users are other machines, so their programs run on another
   * processor than the node.
   */
  private static final List<String> USERS = List.of("taskset", "-c", "0");

  private Stage stage;
  private Neighbourhood place;
  private final ResultTable table =
      new ResultTable(
          "limits",
          "neighbours",
          "keep-alives/s",
          "sent",
          "lost",
          "lost %",
          "periods throttled",
          "");

  @Override
  public String topology() {
    return "noisy";
  }

  @Override
  public boolean play(Stage opened) throws IOException {
    stage = opened;
    place = new Neighbourhood(stage, NEIGHBOURS, USERS);
    stage.step("deploy the keep-alive responder; how many a second it answers without loss");
    place.deploy(LIMITED);
    int rate = most() / 2;
    stage.step("the same alone, once so that what runs often is compiled, then to be counted");
    boolean quiet = alone(LIMITED, rate);
    Path noise = HostileBundle.build("Noisy", stage.testbed().state());
    stage.step(NEIGHBOURS + " neighbours within their limits");
    place.setUpNeighbours(true, noise);
    boolean limited = flooded(LIMITED, rate);
    stage.step("another responder alone, on a node without limits");
    place.withoutLimits();
    place.removeNoisy();
    place.deploy(OPEN);
    boolean open = alone(OPEN, rate);
    stage.step("and " + NEIGHBOURS + " neighbours, without limits, too");
    place.setUpNeighbours(false, noise);
    boolean unlimited = flooded(OPEN, rate);
    stage.show(table);
    return quiet && limited && open && unlimited;
  }

  private boolean alone(Victim victim, int rate) throws IOException {
    place.send(victim, rate, NOISE_SECONDS);
    return measured(victim, "none", rate, true);
  }

  /**
   * Searches for the highest rate without loss. The rate doubles until keep-alives are lost or the
   * sender is too slow. Then the search halves the remaining range.
   */
  private int most() throws IOException {
    place.send(LIMITED, FIRST_RATE, SEARCH_SECONDS); // resolves addresses, compiles code
    int good = 0;
    int bad = 2 * LAST_RATE;
    for (int rate = FIRST_RATE; rate < bad; rate *= 2) {
      if (tooMany(rate)) {
        bad = rate;
      } else {
        good = rate;
      }
    }
    if (good == 0) {
      throw new LabException("not even " + FIRST_RATE + " keep-alives a second are answered");
    }
    for (int i = 0; i < HALVINGS && bad <= LAST_RATE; i++) {
      int middle = (good + bad) / 2;
      if (tooMany(middle)) {
        bad = middle;
      } else {
        good = middle;
      }
    }
    return good;
  }

  /**
   * Returns true if the rate loses keep-alives twice in a row, because a single loss may be the
   * compiler or the machine.
   */
  private boolean tooMany(int rate) throws IOException {
    for (int i = 0; i < 2; i++) {
      if (!loses(rate)) {
        return false;
      }
    }
    return true;
  }

  private boolean loses(int rate) throws IOException {
    Map<String, Long> result = place.send(LIMITED, rate, SEARCH_SECONDS);
    long sent = result.get("sent");
    boolean slow = result.get("millis") > SEARCH_SECONDS * 1100L;
    long lost = sent - result.get("answered");
    stage.out().printf("  %d/s: %d of %d lost%s%n", rate, lost, sent, slow ? ", too slow" : "");
    return slow || lost > sent * MOST_LOST;
  }

  private boolean flooded(Victim victim, int rate) throws IOException {
    place.flood(FLOOD_RATE, FLOOD_SECONDS);
    return measured(victim, NEIGHBOURS + " that burn", rate, victim.limited());
  }

  private boolean measured(Victim victim, String neighbours, int rate, boolean well)
      throws IOException {
    Map<String, Long> counters = place.counters(victim);
    long before = victim.limited() ? CpuQuota.throttled(pid()) : 0;
    Map<String, Long> result = place.send(victim, rate, NOISE_SECONDS);
    long periods = victim.limited() ? CpuQuota.throttled(pid()) - before : 0;
    long sent = result.get("sent");
    long lost = sent - result.get("answered");
    boolean good = lost <= sent * MOST_LOST && periods == 0;
    if (lost > 0) {
      place.printMoved(victim, counters);
    }
    table.row(
        victim.limited() ? "on" : "off",
        neighbours,
        rate,
        sent,
        lost,
        "%.2f".formatted(100.0 * lost / sent),
        victim.limited() ? periods : "no quota",
        good == well ? (good ? "ok" : "ok: fails, as it must") : "WRONG");
    return good == well;
  }

  private long pid() throws IOException {
    try (NodeClient client = stage.testbed().client("node")) {
      for (var container : client.status().path("containers")) {
        if (container.path("publisher").asText().equals(LIMITED.publisher())) {
          return container.path("pid").asLong();
        }
      }
    }
    throw new LabException("the victim has no container");
  }
}
