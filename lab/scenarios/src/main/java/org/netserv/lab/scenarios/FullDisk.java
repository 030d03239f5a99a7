// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.HostileBundle;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeClient.Answer;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Shell;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.ncm.Header;

/**
 * Fills the file system under a node's state to its last block. The node must refuse a new SETUP
 * with 507 and the reason, and acknowledge a refresh and a REMOVE. A kill of everything must lose
 * neither. With room again, the node must take SETUPs without a restart.
 */
public final class FullDisk implements Scenario {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final Map<Header, String> FILTER =
      Map.of(Header.FILTER_PORT, "6000", Header.FILTER_PROTO, "udp");
  private static final int LONGER = 7200;

  private final ResultTable table = new ResultTable("", "answer", "wanted", "");
  private Stage stage;
  private Path state;
  private boolean holds = true;

  @Override
  public String topology() {
    return "hostile";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    Path root = NodeDaemon.root(stage.testbed(), "node").toAbsolutePath();
    state = root.resolve("var/lib/netserv");
    stage.step("give the node's state a file system of its own");
    NodeProcesses.of(stage.testbed(), "node").stop();
    mount(root.resolve("state.img"));
    try {
      NodeDaemon.start(stage.testbed(), "node").await();
      fillAndFree();
      NodeProcesses.of(stage.testbed(), "node").stop();
    } finally {
      Shell.run(List.of("umount", "--lazy", state.toString()));
    }
    stage.show(table);
    return holds;
  }

  /**
   * Mounts a file system under the node's state. It has no blocks reserved for root, because the
   * filler is root and the controller is not.
   */
  private void mount(Path image) throws IOException {
    Shell.run(List.of("truncate", "--size", "512M", image.toString()));
    Shell.run(List.of("mkfs.ext4", "-q", "-F", "-m", "0", image.toString()));
    Path before = Files.createDirectory(state.resolveSibling("before"));
    Shell.run(List.of("mount", "-o", "loop", image.toString(), before.toString()));
    Shell.run(List.of("cp", "-a", state + "/.", before.toString()));
    Shell.run(List.of("umount", before.toString()));
    Shell.run(List.of("mount", "-o", "loop", image.toString(), state.toString()));
  }

  private void fillAndFree() throws IOException {
    stage.step("deploy two modules, then fill the disk");
    Bundle kept = stage.deploy(LabHome.dist().resolve("apps/keepalive.jar"), 6000, Map.of());
    Bundle removed =
        stage.deploy(HostileBundle.build("Faults", stage.testbed().state()), 6000, Map.of());
    LabPublisher publisher = stage.testbed().publisher(Stage.PUBLISHER);
    Bundle refused = publisher.publish(LabHome.dist().resolve("apps/netmonitor.jar"));
    fill();
    Answer answer = setup(refused, 3600);
    row("a new SETUP", answer, 507);
    row("its reason names the disk", answer.reason().contains("the disk under the node's state"));
    row("status says so", status().path("storage").asText().contains("full"));
    row("a refresh", setup(kept, LONGER), 200);
    try (NodeClient node = stage.testbed().client("node")) {
      row("a REMOVE", node.ncm(publisher.remove(removed, stage.server(false))), 200);
    }
    stage.step("fill the rest, and kill -9 everything");
    fill();
    NodeProcesses.of(stage.testbed(), "node").killAll();
    NodeDaemon.start(stage.testbed(), "node").await();
    row("after the restart: the refresh", expires(kept) > 3600);
    row("after the restart: the REMOVE", expires(removed) < 0);
    row("after the restart: nothing of the refused", expires(refused) < 0);
    row("after the restart: a new SETUP", setup(refused, 3600), 507);
    stage.step("make room");
    Files.delete(state.resolve("filler"));
    Wait.until(
        "the refreshed module to run",
        PATIENCE,
        () -> stage.why(kept).path("state").asText().equals("running"));
    row("with room: the SETUP", setup(refused, 3600), 200);
  }

  private Answer setup(Bundle bundle, int ttl) throws IOException {
    LabPublisher publisher = stage.testbed().publisher(Stage.PUBLISHER);
    try (NodeClient node = stage.testbed().client("node")) {
      return node.ncm(
          publisher.sign(
              publisher
                  .draft(bundle, stage.server(false), stage.server(false), FILTER, Map.of())
                  .set(Header.TTL, ttl)));
    }
  }

  /**
   * Returns the seconds until a module's claim ends, as the node says; -1 for a module that is not
   * there.
   */
  private long expires(Bundle bundle) throws IOException {
    for (JsonNode container : status().path("containers")) {
      for (JsonNode module : container.path("modules")) {
        if (module.path("module").asText().equals(bundle.module())) {
          return module.path("expires").asLong(-1);
        }
      }
    }
    return -1;
  }

  private JsonNode status() throws IOException {
    try (NodeClient node = stage.testbed().client("node")) {
      return node.status();
    }
  }

  /** Takes every free block, on the disk and not only in the page cache. */
  private void fill() throws IOException {
    byte[] block = new byte[4096];
    for (int pass = 0; pass < 3; pass++) {
      try (OutputStream out =
          Files.newOutputStream(
              state.resolve("filler"), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
        for (int i = 0; i < 1 << 20; i++) {
          out.write(block);
        }
      } catch (IOException full) {
        Shell.run(List.of("sync", "--file-system", state.toString()));
      }
    }
    if (state.toFile().getUsableSpace() > 1 << 20) {
      throw new LabException(state + " is not full");
    }
  }

  private void row(String what, Answer answer, int wanted) {
    boolean right = answer.status() == wanted;
    table.row(what, answer.toString(), wanted, right ? "ok" : "WRONG");
    holds &= right;
  }

  private void row(String what, boolean right) {
    table.row(what, right, true, right ? "ok" : "WRONG");
    holds &= right;
  }
}
