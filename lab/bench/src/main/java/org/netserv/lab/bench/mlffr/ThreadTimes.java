// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Processor time in nanoseconds of the threads on the packet path, by name. Threads with the same
 * name are added up. An interrupt counts for the thread that it interrupts.
 */
record ThreadTimes(Map<String, Long> nanos) {
  /** Part of all processor time below which a thread is not shown. */
  private static final double LEAST_PART = 0.005;

  private static final double MILLION = 1e6;

  static ThreadTimes of(List<Reader.Worker> workers) throws IOException {
    Map<String, Long> nanos = new HashMap<>();
    for (Reader.Worker worker : workers) {
      Path tasks = Path.of("/proc", Long.toString(worker.pid()), "task");
      try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
        for (Path thread : threads) {
          add(nanos, thread);
        }
      }
    }
    return new ThreadTimes(nanos);
  }

  private static void add(Map<String, Long> nanos, Path thread) {
    try {
      String name = Files.readString(thread.resolve("comm")).strip();
      String ran = Files.readString(thread.resolve("schedstat")).split(" ", 2)[0];
      nanos.merge(name, Long.parseLong(ran), Long::sum);
    } catch (IOException e) {
      // The thread has just ended.
    }
  }

  /** Returns the time of all threads with this text in their names. */
  long of(String name) {
    return nanos.entrySet().stream()
        .filter(entry -> entry.getKey().contains(name))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  /**
   * Returns the threads that ran since then as text, the busiest first: {@code packets 81.0 %,
   * pktio 17.2 % of 812 ms}.
   */
  String since(ThreadTimes before) {
    Map<String, Long> ran = new HashMap<>();
    nanos.forEach((name, now) -> ran.put(name, now - before.nanos.getOrDefault(name, 0L)));
    double all = Math.max(1, ran.values().stream().mapToLong(Long::longValue).sum());
    String parts =
        ran.entrySet().stream()
            .filter(entry -> entry.getValue() > all * LEAST_PART)
            .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
            .map(entry -> "%s %.1f %%".formatted(entry.getKey(), 100 * entry.getValue() / all))
            .collect(Collectors.joining(", "));
    return "%s of %.0f ms".formatted(parts, all / MILLION);
  }
}
