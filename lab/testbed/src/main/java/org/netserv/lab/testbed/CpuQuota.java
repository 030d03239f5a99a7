// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.netserv.lab.testbed.base.LabException;

/** The CPU quota of a process's cgroup, as the kernel reports it, in either version of cgroups. */
public final class CpuQuota {
  private static final String THROTTLED = "nr_throttled ";

  private CpuQuota() {}

  /**
   * Returns the number of periods in which the quota has stopped the processes of that cgroup,
   * since the cgroup exists.
   */
  public static long throttled(long pid) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/cgroup"))) {
      String[] fields = line.split(":", 3);
      boolean version2 = fields[1].isEmpty();
      if (version2 || List.of(fields[1].split(",", -1)).contains("cpu")) {
        for (String root : version2 ? List.of("") : List.of("/" + fields[1], "/cpu")) {
          Path file = Path.of("/sys/fs/cgroup" + root + fields[2] + "/cpu.stat");
          if (Files.exists(file)) {
            return throttled(file);
          }
        }
      }
    }
    throw new LabException("process " + pid + " is in no cgroup with a CPU quota");
  }

  private static long throttled(Path file) throws IOException {
    return Files.readAllLines(file).stream()
        .filter(line -> line.startsWith(THROTTLED))
        .mapToLong(line -> Long.parseLong(line.substring(THROTTLED.length())))
        .findFirst()
        .orElseThrow(() -> new LabException(file + " has no nr_throttled"));
  }
}
