// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.Shell;
import org.netserv.lab.testbed.base.Wait;

/** Long work of the spawner that begins before a process of the node is killed. */
enum SpawnerWork {
  NONE(""),

  /** The spawner makes a spare container's file system, and mke2fs does not end. */
  DISK(", a disk is made"),

  /** bpfd is stopped while the node asks it for counters. */
  BPFD(", bpfd hangs"),

  /** The control: a spawner that waits for such work itself. It is stopped for 3 s. */
  WAITS(", spawner waits 3 s");

  private static final int FIRST_SPARE = 770_000;
  private static final int SPARES = 256;
  private static final int WAITS_MS = 3000;
  private static final String TOOL = "/usr/sbin/mke2fs";

  private final String text;

  SpawnerWork(String text) {
    this.text = text;
  }

  String text() {
    return text;
  }

  void begin(Testbed testbed) throws IOException {
    switch (this) {
      case NONE -> {}
      case DISK -> hangTool(testbed);
      case BPFD -> signal(testbed, "bpfd", "-STOP");
      case WAITS -> signal(testbed, "spawner", "-STOP");
    }
  }

  /** Acts right after the kill. */
  void killed(Testbed testbed) throws IOException {
    if (this == BPFD) {
      try (NodeClient client = testbed.client("node")) {
        client.counters(Stage.PUBLISHER);
      }
    } else if (this == WAITS) {
      Wait.pause(WAITS_MS);
      signal(testbed, "spawner", "-CONT");
    }
  }

  /** Ends the trouble. Returns true if it lasted until now. */
  boolean end(Testbed testbed) throws IOException {
    if (this != DISK) {
      return true;
    }
    Path hangs = NodeDaemon.root(testbed, "node").resolve("hangs");
    String pid = Files.readString(hangs).strip();
    boolean lasted = ProcessHandle.of(Long.parseLong(pid)).isPresent();
    inSpawner(testbed, "umount", TOOL);
    ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroyForcibly);
    Files.delete(hangs);
    return lasted;
  }

  private static void signal(Testbed testbed, String process, String signal) throws IOException {
    Shell.run("kill", signal, Long.toString(NodeProcesses.of(testbed, "node").pid(process)));
  }

  /** Runs a command in the spawner's own mount namespace, so that nobody else sees the tool. */
  private static void inSpawner(Testbed testbed, String... command) throws IOException {
    String pid = Long.toString(NodeProcesses.of(testbed, "node").pid("spawner"));
    Shell.run(concat(List.of("nsenter", "-t", pid, "-m"), List.of(command)));
  }

  private static List<String> concat(List<String> first, List<String> second) {
    return Stream.concat(first.stream(), second.stream()).toList();
  }

  private static void hangTool(Testbed testbed) throws IOException {
    Path root = NodeDaemon.root(testbed, "node");
    Path tool = root.resolve("mke2fs.sh");
    Path hangs = root.resolve("hangs");
    Files.writeString(tool, "#!/bin/sh\necho $$ >" + hangs + "\nexec sleep 600\n");
    Files.setPosixFilePermissions(tool, PosixFilePermissions.fromString("rwxr-xr-x"));
    inSpawner(testbed, "mount", "--bind", tool.toString(), TOOL);
    // The spawner replaces a spare a second after its end.
    Wait.until("a spare container", Duration.ofSeconds(20), () -> !spares(testbed).isEmpty());
    for (long pid : spares(testbed)) {
      ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }
    Wait.until("mke2fs to hang", Duration.ofSeconds(20), () -> Files.exists(hangs));
  }

  /**
   * Returns the processes of spare containers. Leaves out the publisher's own container and its
   * pktio, which may have been a spare.
   */
  private static List<Long> spares(Testbed testbed) throws IOException {
    NodeProcesses processes = NodeProcesses.of(testbed, "node");
    List<Long> own = List.of(processes.pid("container"), processes.pid("pktio"));
    return processes.pids(FIRST_SPARE, SPARES).stream().filter(pid -> !own.contains(pid)).toList();
  }
}
