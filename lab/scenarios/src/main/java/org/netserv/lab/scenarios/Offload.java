// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.capture.PacketCounter;

/**
 * Checks a flow that a module gives to the kernel. From then on its packets must bypass the module,
 * the flow's record must count them, and the server must get each of them. When the module is
 * removed in the middle, no packet may be lost.
 */
public final class Offload implements Scenario {
  private static final int PACKETS = 2_000;
  private static final int RATE = 500;
  private static final int PORT = 5060;
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Packets that may still be under way to the module when its first verdict takes effect. */
  private static final int FIRST_FEW = 100;

  /** A media packet. The keep-alive responder gives such a flow to the kernel for a minute. */
  private static final byte[] MEDIA = {(byte) 0x80, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 9, 9};

  private Stage stage;
  private PacketCounter seen;
  private Path payload;

  @Override
  public String topology() {
    return "fast-path";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    payload = stage.testbed().state().resolve("media.bin");
    Files.write(payload, MEDIA);
    seen = PacketCounter.install(stage.testbed(), "server", "eth0", PORT);
    stage.step("deploy a module that gives flows away which are not SIP");
    Bundle bundle =
        stage.deploy(LabHome.dist().resolve("apps/keepalive.jar"), PORT, Map.of("offload", "60"));
    ResultTable table =
        new ResultTable("", "sent", "to the module", "by the kernel", "server saw", "");
    stage.step("a flow of " + PACKETS + " packets");
    boolean holds = flow(table);
    if (holds) {
      stage.step("a flow, and REMOVE in the middle");
      holds = removed(table, bundle);
    }
    stage.show(table);
    return holds;
  }

  private boolean flow(ResultTable table) throws IOException {
    long before = seen.read();
    long delivered = pktio("delivered");
    long kernel = pktio("flows-packets");
    long sent = send("flow").result(60).get("sent");
    Wait.until("all packets", PATIENCE, () -> seen.read() - before >= sent);
    long server = seen.read() - before;
    long module = pktio("delivered") - delivered;
    long decided = pktio("flows-packets") - kernel;
    boolean holds =
        server == sent
            && module > 0
            && module <= FIRST_FEW
            && decided + module == sent
            && pktio("flows") == 1;
    table.row("offloaded", sent, module, decided, server, holds ? "ok" : "WRONG");
    return holds;
  }

  private boolean removed(ResultTable table, Bundle bundle) throws IOException {
    long before = seen.read();
    long taken = pktio("flows-taken"); // grows with each packet that was under way to the module
    Tool flood = send("removed");
    Wait.until("the flow in the kernel", PATIENCE, () -> pktio("flows-taken") > taken);
    stage.remove(bundle);
    long sent = flood.result(60).get("sent");
    Wait.until("all packets", PATIENCE, () -> seen.read() - before >= sent);
    long server = seen.read() - before;
    boolean holds = server == sent;
    table.row("and removed", sent, "-", "-", server, holds ? "ok" : "WRONG");
    return holds;
  }

  private Tool send(String name) throws IOException {
    String flood = LabHome.dist().resolve("bin/lab-flood").toString();
    String line = "exec " + flood + " 192.0.2.10 " + PORT + " " + PACKETS + " " + RATE + " <";
    return Tool.start(
        stage.testbed(), "user", stage.unique(name), List.of("sh", "-c", line + payload));
  }

  /** Returns a counter of pktio, or a counter of bpfd about the container. */
  private long pktio(String name) throws IOException {
    return Stage.counter(stage.counters(), name);
  }
}
