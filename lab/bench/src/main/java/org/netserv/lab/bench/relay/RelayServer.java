// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.relay;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A TURN server under test.
 *
 * @param name in tables
 * @param port at which clients reach it
 * @param pid of its process
 */
record RelayServer(String name, int port, long pid) {
  private static final int USER_TIME = 11; // fields behind the command's name, /proc/PID/stat
  private static final int SYSTEM_TIME = 12;
  private static final double MICROS_PER_TICK = 10_000;
  private static final String RESIDENT = "VmRSS:";

  /** Returns the processor time of all its threads until now, in microseconds. */
  double processorMicros() throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.US_ASCII);
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return MICROS_PER_TICK
        * (Long.parseLong(fields[USER_TIME]) + Long.parseLong(fields[SYSTEM_TIME]));
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
