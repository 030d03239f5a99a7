// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.relay;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.netserv.lab.testbed.base.CpuTime;

/**
 * A TURN server under test.
 *
 * @param name in tables
 * @param port at which clients reach it
 * @param pid of its process
 * @param properties of the module, null = it is no module
 */
record RelayServer(String name, int port, long pid, Map<String, String> properties) {
  private static final String RESIDENT = "VmRSS:";

  /** Returns the processor time of all its threads until now, in microseconds. */
  double processorMicros() throws IOException {
    return CpuTime.micros(pid);
  }

  /** Returns its resident memory in KiB. */
  long residentKib() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
      if (line.startsWith(RESIDENT)) {
        return Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw new IOException(name + " has ended");
  }
}
