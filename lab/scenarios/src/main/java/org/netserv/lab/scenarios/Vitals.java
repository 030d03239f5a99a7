// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.ResultTable;

/**
 * Resources of processes, as the kernel sees them: memory (heap, classes, direct buffers and all
 * else), descriptors, threads.
 */
final class Vitals {
  private static final List<String> PROCESSES =
      List.of("controller", "nsis-gist", "spawner", "bpfd", "pktio", "container");

  /** First words of the names of processes that are a JVM. All others are programs in C. */
  private static final List<String> JVMS = List.of("controller", "nsis-gist", "container");

  /**
   * Limit of growth of a C program, which has no reason to grow. A JVM may still compile and fill
   * its heap.
   */
  private static final long GROWTH_C_KB = 1024;

  private static final long GROWTH_JVM_KB = 24 * 1024;
  private static final double GROWTH_JVM = 0.15;
  private static final long GROWTH_COUNT = 8;

  /**
   * Resources of one process.
   *
   * @param residentKb resident memory of the process alone, without mapped files
   */
  private record Held(long pid, long residentKb, long descriptors, long threads) {}

  private final Map<String, Held> processes = new LinkedHashMap<>();

  private Vitals() {}

  /** Takes the state of all processes of a node but the supervisor and sigio. */
  static Vitals take(NodeProcesses node) throws IOException {
    Map<String, Long> pids = new LinkedHashMap<>();
    for (String name : PROCESSES) {
      pids.put(name, node.pid(name));
    }
    return take(pids);
  }

  /**
   * Takes the state of processes.
   *
   * @param pids by name; the name of a JVM begins with controller, nsis-gist or container
   */
  static Vitals take(Map<String, Long> pids) throws IOException {
    Vitals vitals = new Vitals();
    for (Map.Entry<String, Long> entry : pids.entrySet()) {
      long pid = entry.getValue();
      Path proc = Path.of("/proc/" + pid);
      try (Stream<Path> open = Files.list(proc.resolve("fd"))) {
        long memory = field(proc, "RssAnon") + field(proc, "RssShmem");
        Held held = new Held(pid, memory, open.count(), field(proc, "Threads"));
        vitals.processes.put(entry.getKey(), held);
      }
    }
    return vitals;
  }

  private static long field(Path proc, String name) throws IOException {
    for (String line : Files.readAllLines(proc.resolve("status"))) {
      if (line.startsWith(name + ":")) {
        return Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw new LabException(proc + "/status has no " + name);
  }

  /**
   * Shows both states. Returns true if nothing has grown since then and no process has begun anew.
   */
  boolean flat(Vitals then, Stage stage) {
    ResultTable table =
        new ResultTable("process", "memory MB", "then", "descriptors", "threads", "");
    boolean all = true;
    for (Map.Entry<String, Held> entry : processes.entrySet()) {
      Held now = entry.getValue();
      Held before = then.processes.get(entry.getKey());
      boolean flat = now.pid() == before.pid() && flat(entry.getKey(), before, now);
      table.row(
          entry.getKey(),
          "%.1f".formatted(before.residentKb() / 1024.0),
          "%.1f".formatted(now.residentKb() / 1024.0),
          before.descriptors() + " - " + now.descriptors(),
          before.threads() + " - " + now.threads(),
          flat ? "ok" : now.pid() == before.pid() ? "GROWS" : "ANOTHER PROCESS");
      all &= flat;
    }
    stage.show(table);
    return all;
  }

  private static boolean flat(String name, Held before, Held now) {
    boolean java = JVMS.stream().anyMatch(name::startsWith);
    long more = java ? (long) (before.residentKb() * GROWTH_JVM) + GROWTH_JVM_KB : GROWTH_C_KB;
    return now.residentKb() <= before.residentKb() + more
        && now.descriptors() <= before.descriptors() + GROWTH_COUNT
        && now.threads() <= before.threads() + GROWTH_COUNT;
  }
}
