// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.relay;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import org.netserv.lab.testbed.base.CpuTime;

/**
 * A TURN server under test.
 *
 * @param name in tables
 * @param port at which clients reach it
 * @param pid of its process
 * @param publisher of the module; null = it is no module
 * @param properties of the module
 * @param inKernel the kernel relays for it
 * @param forward how the node's fast path forwards meanwhile
 */
record RelayServer(
    String name,
    int port,
    long pid,
    String publisher,
    Map<String, String> properties,
    boolean inKernel,
    String forward) {
  private static final String RESIDENT = "VmRSS:";
  private static final String WAITS = "voluntary_ctxt_switches:";

  /** Returns the same while the node forwards in another way. */
  RelayServer forwarding(String other, String way) {
    return new RelayServer(other, port, pid, publisher, properties, inKernel, way);
  }

  /** Returns the processor time of all its threads until now, in microseconds. */
  double processorMicros() throws IOException {
    return CpuTime.micros(pid);
  }

  /** Returns its resident memory in KiB. */
  long residentKib() throws IOException {
    return number(Path.of("/proc/" + pid + "/status"), RESIDENT);
  }

  /**
   * Returns how often its busiest thread has waited until now. Each of these times it was woken up,
   * or a time was over.
   */
  long waits() throws IOException {
    long most = 0;
    try (DirectoryStream<Path> threads =
        Files.newDirectoryStream(Path.of("/proc/" + pid + "/task"))) {
      for (Path thread : threads) {
        most = Math.max(most, waits(thread));
      }
    }
    return most;
  }

  /** Returns 0 for a thread that has ended since it was listed. */
  private long waits(Path thread) throws IOException {
    try {
      return number(thread.resolve("status"), WAITS);
    } catch (NoSuchFileException e) {
      return 0;
    }
  }

  private long number(Path status, String field) throws IOException {
    for (String line : Files.readAllLines(status)) {
      if (line.startsWith(field)) {
        return Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw new IOException(name + " has ended");
  }
}
