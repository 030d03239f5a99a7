// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Wait;

/**
 * A bundle is fetched for later, and its publisher's container holds it installed. No packet comes
 * to it. After kill -9 of the container, and of the controller, a container holds it again. The
 * SETUP then runs it in the process that held it.
 */
public final class Prepared implements Scenario {
  private static final int LOOKS = 20; // half a second apart
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int PORT = 5060;
  private static final int KEEP_ALIVES = 20;

  private final ComparedRows rows = new ComparedRows("when", "what");
  private Stage stage;
  private Bundle bundle;

  @Override
  public String topology() {
    return "keepalive";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    try {
      play();
    } finally {
      stage.show(rows.table());
    }
    return rows.hold();
  }

  private void play() throws IOException {
    NodeProcesses processes = NodeProcesses.of(stage.testbed(), "node");
    stage.step("a SETUP that only fetches");
    bundle = stage.fetch(LabHome.dist().resolve("apps/keepalive.jar"), PORT);
    long first = prepared();
    rows.row("fetched", "keep-alives that the module saw", 0, seen(0));

    stage.step("kill -9 of the container that holds it");
    processes.kill("container");
    Wait.until("another container", PATIENCE, () -> pid() != first && pid() != 0);
    long second = prepared();

    stage.step("kill -9 of the controller");
    processes.end("controller");
    rows.row("controller killed", "container", second, prepared());

    stage.step("the SETUP that starts it");
    rows.row("SETUP", "status", 200, stage.refresh(bundle, PORT).status());
    rows.row("SETUP", "container", second, pid());
    rows.row("SETUP", "state", "running", module().path("state").asText());
    rows.row("SETUP", "keep-alives that the module saw", KEEP_ALIVES, seen(KEEP_ALIVES));

    stage.step("REMOVE");
    stage.remove(bundle);
    rows.row("REMOVE", "containers", 0, status().path("containers").size());
  }

  /** Waits until a container holds the bundle. Returns the container's process. */
  private long prepared() throws IOException {
    Wait.until("the bundle to be installed", PATIENCE, this::isPrepared);
    return pid();
  }

  private boolean isPrepared() {
    try {
      return module().path("state").asText().equals("prepared");
    } catch (IOException e) {
      return false; // the controller comes back
    }
  }

  /**
   * Sends keep-alives, and returns the number of those that the module has seen. The controller
   * asks for it once a second, and later on a loaded machine.
   */
  private long seen(int expected) throws IOException {
    Map<String, Long> sent = stage.keepAlives(100, KEEP_ALIVES, 4000, "alone").result(60);
    rows.row("", "keep-alives that somebody answered", KEEP_ALIVES, sent.get("answered"));
    Wait.pause(1500);
    for (int i = 0; i < LOOKS && module().path("packets").asLong() < expected; i++) {
      Wait.pause(500);
    }
    return module().path("packets").asLong();
  }

  private long pid() throws IOException {
    return container().path("pid").asLong();
  }

  private JsonNode module() throws IOException {
    return container().path("modules").path(0);
  }

  private JsonNode container() throws IOException {
    return status().path("containers").path(0);
  }

  private JsonNode status() throws IOException {
    try (NodeClient node = stage.testbed().client("node")) {
      return node.status();
    }
  }
}
