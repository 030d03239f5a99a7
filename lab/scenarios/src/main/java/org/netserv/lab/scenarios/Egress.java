// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.HostileBundle;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.capture.PacketCounter;

/**
 * Checks that the node refuses and counts packets that a module may not send. The original packet
 * travels on instead.
 */
public final class Egress implements Scenario {
  private static final int PACKETS = 20;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /**
   * A packet that a module tries to send.
   *
   * @param counter of pktio that has to grow
   * @param through true if the original reaches the server
   */
  private record RefusedAttempt(String name, String letter, String counter, boolean through) {}

  private static final List<RefusedAttempt> ATTEMPTS =
      List.of(
          new RefusedAttempt("turned to a foreign address", "f", "egress_denied", true),
          new RefusedAttempt("spoofed source", "s", "egress_denied", true),
          new RefusedAttempt("answered twice", "t", "stale_verdict", false));

  @Override
  public String topology() {
    return "hostile";
  }

  @Override
  public boolean play(Stage stage) throws IOException {
    stage.step("build, sign and deploy a module that sends what it may not");
    Bundle bundle =
        stage.deploy(
            HostileBundle.build(
                "Egress", stage.testbed().state(), HostileBundle.IMPORTS, "attempts/Between"),
            6000,
            Map.of());
    PacketCounter server = PacketCounter.install(stage.testbed(), "server", "eth0", 6000);
    ResultTable table =
        new ResultTable("attempt", "packets", "counter", "refused", "server saw", "");
    boolean holds = true;
    for (RefusedAttempt attempt : ATTEMPTS) {
      stage.step(attempt.name());
      ObjectNode before = stage.counters();
      long seen = server.read();
      send(stage, attempt.letter());
      long refused = grown(stage, attempt.counter(), before);
      long through = server.read() - seen;
      // pktio refuses the second answer to a packet. The first answer turns it, so the server sees
      // none.
      boolean right = refused == PACKETS && through == (attempt.through() ? PACKETS : 0);
      table.row(
          attempt.name(), PACKETS, attempt.counter(), refused, through, right ? "ok" : "WRONG");
      holds &= right;
    }
    stage.remove(bundle);
    stage.show(table);
    return holds;
  }

  /** Reads the counter until all packets are counted, or for a while. Returns its growth. */
  private static long grown(Stage stage, String counter, ObjectNode before) throws IOException {
    long base = Stage.counter(before, counter);
    try {
      Wait.until(
          counter, PATIENCE, () -> Stage.counter(stage.counters(), counter) - base >= PACKETS);
    } catch (IOException e) {
      stage.out().println("  " + e.getMessage());
    }
    return Stage.counter(stage.counters(), counter) - base;
  }

  /** Sends slowly, so that each packet is a batch of its own. */
  private static void send(Stage stage, String letter) throws IOException {
    String flood = LabHome.dist().resolve("bin/lab-flood").toString();
    stage
        .testbed()
        .run(
            "user",
            "sh",
            "-c",
            "printf " + letter + " | " + flood + " 192.0.2.10 6000 " + PACKETS + " 50");
  }
}
