// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.deny;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.netserv.lab.testbed.base.LabException;

/** Sets the memory of a container's cgroup from outside. */
final class GroupMemory {
  private static final Path GROUPS = Path.of("/sys/fs/cgroup");

  private GroupMemory() {}

  /** Bounds the memory of a process's cgroup, and keeps the cgroup out of swap. */
  static void bound(long pid, int mib) throws IOException {
    String bytes = Long.toString((long) mib << 20);
    for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/cgroup"))) {
      String[] fields = line.split(":", 3); // hierarchy:controllers:/path
      String path = fields[2].substring(1);
      if (fields[1].equals("memory")) {
        Path group = GROUPS.resolve("memory").resolve(path);
        Files.writeString(group.resolve("memory.limit_in_bytes"), bytes);
        Files.writeString(group.resolve("memory.memsw.limit_in_bytes"), bytes);
        return;
      }
      Path group = GROUPS.resolve(path);
      if (fields[1].isEmpty() && Files.exists(group.resolve("memory.max"))) {
        Files.writeString(group.resolve("memory.max"), bytes);
        Files.writeString(group.resolve("memory.swap.max"), "0");
        return;
      }
    }
    throw new LabException("process " + pid + " has no group for its memory");
  }
}
