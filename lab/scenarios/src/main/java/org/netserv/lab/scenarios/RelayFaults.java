// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.KernelMaps;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.tool.RelayCalls;

/**
 * kill -9 of the parts of a relay, while many calls go through the kernel.
 *
 * <pre>
 *   pktio       calls go on in the kernel
 *   bpfd        the kernel's entries go with it; calls go on by the module, and back to the kernel
 *   container   its entries are kept; a spare takes its place, makes the allocations again, and takes
 *               the entries over
 * </pre>
 *
 * <p>The goal is a silence of no more than a second. It depends on the machine, so the table has
 * it, and only a silence of three seconds fails.
 */
final class RelayFaults {
  private static final List<String> VICTIMS = List.of("pktio", "bpfd", "container");
  private static final String NODE = "node";
  private static final String SERVER = "198.51.101.1";
  private static final String PEER = "203.0.113.10";
  private static final int MIRROR = 3480;
  private static final int MILLIS = 100;
  private static final int SECONDS = 15;
  private static final int MORE_SECONDS = 60;
  private static final int WAYS = 2;
  private static final int BEFORE_MS = 3000;
  private static final int SILENCE_MS = 1000; // as long as calls may take to go on by themselves
  private static final int PATIENT_MS = 3000; // the calls must go on as they are
  private static final int STEP_MS = 10;
  private static final long GAP_MOST_MS = 3000;

  /**
   * The same for the short form and the end of the container. On a loaded machine the module may
   * start too slowly once, and then starts in another container.
   */
  private static final long LATE_MS = 30_000;

  private static final int LATE_SECONDS = 45; // of the calls then, at most
  private static final int AFTER_MS = 5000; // of the calls in the short form, once they go on
  private static final Duration MOMENT = Duration.ofSeconds(2);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Stage stage;
  private final Testbed testbed;
  private final String secret;
  private final boolean quick;
  private final ResultTable table =
      new ResultTable(
          "kill -9",
          "calls",
          "in the kernel before",
          "left of them",
          "kept",
          "taken over",
          "sent",
          "back",
          "changed",
          "allocations anew",
          "gap, median, ms",
          "longest, ms",
          "calls over 1 s",
          "");

  RelayFaults(Stage stage, String secret, boolean quick) {
    this.stage = stage;
    this.testbed = stage.testbed();
    this.secret = secret;
    this.quick = quick;
  }

  /** Tells whether the command line wants the end of any part. */
  boolean wanted() {
    return VICTIMS.stream().anyMatch(this::wants);
  }

  private boolean wants(String victim) {
    return stage.wants("kill " + victim);
  }

  /** Kills each part once. Returns true if each call went on, and nothing dead stayed. */
  boolean kill(int calls) throws IOException {
    boolean holds = true;
    for (String victim : VICTIMS.stream().filter(this::wants).toList()) {
      stage.step("kill -9 of " + victim + " during " + calls + " calls");
      holds &= row(victim, calls);
    }
    stage.show(table);
    return holds;
  }

  /** The counters of the entries that outlive their container, since bpfd's start. */
  private record Kept(long kept, long takenOver, long ended) {
    Kept since(Kept before) {
      return new Kept(kept - before.kept, takenOver - before.takenOver, ended - before.ended);
    }

    /**
     * Tells whether all entries were kept, and each of them was taken over or ended. Those of the
     * calls must have been taken over, unless the container is late.
     */
    boolean of(long entries, long calls, boolean late) {
      return kept == entries && takenOver + ended == kept && (late || takenOver >= calls);
    }
  }

  private boolean row(String victim, int calls) throws IOException {
    KernelMaps maps = maps();
    long others = maps.entries() / WAYS;
    boolean anew = victim.equals("container");
    boolean late = anew && quick;
    String name = stage.unique("calls");
    Tool talk =
        Tool.start(
            testbed,
            "user",
            name,
            RelayCalls.class,
            SERVER,
            secret,
            PEER,
            MIRROR,
            calls,
            MILLIS,
            late ? LATE_SECONDS : SECONDS,
            anew ? SILENCE_MS : PATIENT_MS);
    Wait.until("the calls", PATIENCE, () -> talking(talk, name));
    Wait.pause(BEFORE_MS);
    if (anew) {
      Wait.until("a spare container", PATIENCE, this::spareWaits);
    }
    long entries = maps.entries() / WAYS;
    long before = entries - others;
    Kept keptBefore = kept();
    NodeProcesses.of(testbed, NODE).kill(victim);
    long left = victim.equals("bpfd") ? left(maps) : 0;
    Wait.until("the calls in the kernel again", PATIENCE, () -> again(victim) >= calls);
    if (quick) {
      Wait.pause(AFTER_MS);
      talk.process().destroy();
    }
    Map<String, Long> result = talk.result(MORE_SECONDS);
    Kept kept = anew ? kept().since(keptBefore) : new Kept(0, 0, 0);
    boolean holds =
        before == calls
            && left == 0
            && result.get("wrong") == 0
            && result.get("dead") == 0
            && result.get("gap") < (late ? LATE_MS : GAP_MOST_MS)
            && (anew ? isFromSpare() && kept.of(entries, calls, late) : result.get("again") == 0);
    table.row(
        victim,
        calls,
        before,
        left,
        kept.kept(),
        kept.takenOver(),
        result.get("sent"),
        result.get("back"),
        result.get("wrong"),
        result.get("again"),
        result.get("median"),
        result.get("gap"),
        result.get("late"),
        holds ? "ok" : "FAILED");
    return holds;
  }

  private Kept kept() throws IOException {
    ObjectNode counters = stage.counters();
    return new Kept(
        Stage.counter(counters, "relay-kept"),
        Stage.counter(counters, "relay-taken-over"),
        Stage.counter(counters, "relay-kept-ended"));
  }

  private boolean talking(Tool talk, String name) throws IOException {
    if (!talk.running()) {
      talk.await("talking"); // says why it has ended
    }
    return testbed.tail("user", name, 5).contains("talking");
  }

  private boolean spareWaits() throws IOException {
    try (NodeClient node = testbed.client(NODE)) {
      return node.status().path("spares").asInt() > 0;
    }
  }

  /** Tells whether the publisher's container was a spare. */
  private boolean isFromSpare() throws IOException {
    try (NodeClient node = testbed.client(NODE)) {
      for (JsonNode container : node.status().path("containers")) {
        if (container.path("publisher").asText().equals(Stage.PUBLISHER)) {
          return container.path("spare").asBoolean();
        }
      }
    }
    return false;
  }

  private KernelMaps maps() throws IOException {
    return KernelMaps.of(testbed, NODE, "ns_relays");
  }

  /** Returns the channels of what has been killed that are in the kernel after a moment. */
  private static long left(KernelMaps maps) throws IOException {
    long end = System.nanoTime() + MOMENT.toNanos();
    long left = maps.entries();
    while (left != 0 && System.nanoTime() - end < 0) {
      Wait.pause(STEP_MS);
      left = maps.entries();
    }
    return left / WAYS;
  }

  /**
   * Returns the channels in the kernel that a living module has asked for. None while there is no
   * bpfd, or no container. The entries of a dead container are in the kernel, too.
   */
  private long again(String victim) {
    try {
      return victim.equals("container")
          ? Stage.counter(stage.counters(), "relays")
          : maps().entries() / WAYS;
    } catch (IOException e) {
      return 0;
    }
  }
}
