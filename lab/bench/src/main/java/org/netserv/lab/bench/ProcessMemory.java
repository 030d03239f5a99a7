// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.netserv.lab.testbed.base.LabException;

/** Memory of a process, as the kernel reports it. */
final class ProcessMemory {
  private static final double KIB_PER_MIB = 1024;

  private ProcessMemory() {}

  /** Returns the proportional set size in MiB. A page that n processes share counts 1/n in each. */
  static double pssMib(long pid) throws IOException {
    return field(Path.of("/proc/" + pid + "/smaps_rollup"), "Pss:") / KIB_PER_MIB;
  }

  private static long field(Path file, String name) throws IOException {
    for (String line : Files.readAllLines(file)) {
      if (line.startsWith(name)) {
        return Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw new LabException(file + " has no " + name);
  }
}
