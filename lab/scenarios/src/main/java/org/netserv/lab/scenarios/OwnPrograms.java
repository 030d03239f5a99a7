// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.capture.PacketCounter;

/**
 * Installs an operator's own kernel program as the guide says. It must decide from the next reload
 * on. A file beside it that is no program must not disturb it. Without the program everything must
 * be as before.
 */
public final class OwnPrograms implements Scenario {
  private static final String PROGRAM = "xdp-2";
  private static final String NONE = "tc-3";
  private static final String SUFFIX = ".bpf.o";
  private static final int PORT = 7000;
  private static final int PACKETS = 200;
  private static final int RATE = 2000;

  /** Value of the octet for the type of service that {@code kernel/examples/dscp.bpf.c} drops. */
  private static final int UNWANTED = 62 << 2;

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final ResultTable table =
      new ResultTable("programs", "unwanted sent", "others sent", "server saw", "expected", "");
  private Stage stage;
  private Path directory;
  private PacketCounter seen;

  @Override
  public String topology() {
    return "fast-path";
  }

  @Override
  public boolean play(Stage opened) throws IOException {
    stage = opened;
    seen = PacketCounter.install(stage.testbed(), "server", "eth0", PORT);
    directory = NodeDaemon.root(stage.testbed(), "node").resolve("etc/netserv/programs.d");
    Files.createDirectories(directory);
    boolean before = round("none", 2 * PACKETS);
    stage.step("a program of the operator's that drops what has DSCP 62");
    compile(directory.resolve(PROGRAM + SUFFIX));
    reload(PROGRAM, "");
    boolean installed = round(PROGRAM, PACKETS);
    stage.step("beside it a file that is no program");
    Files.writeString(directory.resolve(NONE + SUFFIX), "no program\n");
    reload(PROGRAM, NONE);
    boolean beside = round(PROGRAM + ", not " + NONE, PACKETS);
    stage.step("and without them");
    Files.delete(directory.resolve(PROGRAM + SUFFIX));
    Files.delete(directory.resolve(NONE + SUFFIX));
    reload("", "");
    boolean after = round("none", 2 * PACKETS);
    stage.show(table);
    return before && installed && beside && after;
  }

  private void compile(Path object) throws IOException {
    stage
        .testbed()
        .run(
            "node",
            LabHome.clang(),
            "-target",
            "bpf",
            "-mcpu=v3",
            "-O2",
            "-g",
            "-I",
            LabHome.dist().resolve("kernel").toString(),
            "-I",
            "/usr/include/x86_64-linux-gnu",
            "-c",
            LabHome.home().resolve("kernel/examples/dscp.bpf.c").toString(),
            "-o",
            object.toString());
  }

  /**
   * Reloads the node, and waits until it reports the one program and refuses the other. An empty
   * name means none.
   */
  private void reload(String has, String refuses) throws IOException {
    try (NodeClient node = stage.testbed().client("node")) {
      node.reload();
      Wait.until(
          "the fast path with the programs that are there",
          PATIENCE,
          () -> {
            JsonNode path = node.status().path("fastPath");
            String refused = path.path("programsRefused").asText();
            return path.path("because").asText().isEmpty()
                && path.path("programs").size() == (has.isEmpty() ? 0 : 1)
                && path.path("programs").path(0).asText().equals(has)
                && (refuses.isEmpty() ? refused.isEmpty() : refused.startsWith(refuses));
          });
    }
  }

  /**
   * Sends unwanted packets and then others, and compares the server's count. When the others have
   * arrived, each unwanted packet has arrived or never will.
   */
  private boolean round(String programs, int expected) throws IOException {
    long before = seen.read();
    send(UNWANTED);
    send(0);
    Wait.until("the packets", PATIENCE, () -> seen.read() - before >= expected);
    long arrived = seen.read() - before;
    boolean holds = arrived == expected;
    table.row(programs, PACKETS, PACKETS, arrived, expected, holds ? "ok" : "WRONG");
    return holds;
  }

  private void send(int service) throws IOException {
    String flood = LabHome.dist().resolve("bin/lab-flood").toString();
    String target = " 192.0.2.10 " + PORT + " " + PACKETS + " " + RATE + " " + service;
    Tool.start(
            stage.testbed(),
            "user",
            stage.unique("flood"),
            List.of("sh", "-c", "echo packet | exec " + flood + target))
        .result(30);
  }
}
