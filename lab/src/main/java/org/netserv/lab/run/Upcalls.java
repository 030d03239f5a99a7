// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.run;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.netserv.lab.LabHome;
import org.netserv.lab.Table;
import org.netserv.lab.Tool;
import org.netserv.lab.Wait;

/** A sender that outruns the node: packets have to go up in batches. */
public final class Upcalls implements Scenario {
  private static final int PACKETS = 300_000;
  private static final int BATCH = 8;
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Fewer packets than this reaching the module would show nothing. */
  private static final int LEAST = 20_000;

  private static final String KEEP_ALIVE =
      """
      NOTIFY sip:192.0.2.10:5060 SIP/2.0\r
      Via: SIP/2.0/UDP 10.0.0.10:4000;branch=z9hG4bKflood;rport\r
      Max-Forwards: 70\r
      From: <sip:flood@lab.example>;tag=f\r
      To: <sip:192.0.2.10>\r
      Call-ID: flood@lab\r
      CSeq: 1 NOTIFY\r
      Event: keep-alive\r
      Content-Length: 0\r
      \r
      """;

  @Override
  public String topology() {
    return "keepalive";
  }

  @Override
  public boolean play(Stage stage) throws IOException {
    stage.step("deploy the keep-alive responder");
    stage.deploy(LabHome.dist().resolve("apps/keepalive.jar"), 5060, Map.of("pass-every", "0"));
    Path payload = stage.testbed().state().resolve("flood.txt");
    Files.writeString(payload, KEEP_ALIVE);
    Wait.until("the dispatcher's counters", PATIENCE, () -> dispatcher(stage).has("upcalls"));
    JsonNode before = dispatcher(stage);
    stage.step("flood: " + PACKETS + " keep-alives as fast as the machine allows");
    String flood = LabHome.dist().resolve("bin/lab-flood").toString();
    Map<String, Long> sent =
        Tool.start(
                stage.testbed(),
                "user",
                "flood",
                List.of(
                    "sh", "-c", "exec " + flood + " 192.0.2.10 5060 " + PACKETS + " 0 <" + payload))
            .result(120);
    JsonNode after = settled(stage);
    long packets = after.path("packets").asLong() - before.path("packets").asLong();
    long upcalls = after.path("upcalls").asLong() - before.path("upcalls").asLong();
    stage.show(
        new Table("sent", "handed to modules", "upcalls", "packets per upcall")
            .row(
                sent.get("sent"),
                packets,
                upcalls,
                "%.1f".formatted((double) packets / Math.max(1, upcalls))));
    return packets >= LEAST && upcalls > 0 && upcalls <= packets / BATCH;
  }

  /** The node asks its containers for counters now and then: the same twice means all is in. */
  private static JsonNode settled(Stage stage) throws IOException {
    JsonNode last = dispatcher(stage);
    for (int reads = 0, same = 0; reads < PATIENCE.toSeconds() && same < 3; reads++) {
      Wait.pause(1000);
      JsonNode now = dispatcher(stage);
      same = now.equals(last) && now.path("packets").asLong() >= LEAST ? same + 1 : 0;
      last = now;
    }
    return last;
  }

  private static JsonNode dispatcher(Stage stage) throws IOException {
    return stage.counters().findPath("dispatcher");
  }
}
