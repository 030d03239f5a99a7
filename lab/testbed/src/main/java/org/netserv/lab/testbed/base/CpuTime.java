// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.base;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The processor time of processes until a moment, as the kernel accounts for it: user and system
 * time of all their threads, in steps of 10 ms. Immutable.
 */
public final class CpuTime {
  private static final double MICROS_PER_TICK = 10_000; // USER_HZ is 100 on every architecture
  private static final int USER_TIME = 11; // fields behind the command's name, /proc/PID/stat
  private static final int SYSTEM_TIME = 12;
  private static final int SOFTIRQ = 7; // field of the first line of /proc/stat

  private final Map<Long, Long> ticks;

  private CpuTime(Map<Long, Long> ticks) {
    this.ticks = ticks;
  }

  /** Reads the time of these processes. One that has ended is left out. */
  public static CpuTime of(Collection<ProcessHandle> processes) {
    Map<Long, Long> ticks = new HashMap<>();
    for (ProcessHandle process : processes) {
      long time = ticksOrNone(process.pid());
      if (time >= 0) {
        ticks.put(process.pid(), time);
      }
    }
    return new CpuTime(ticks);
  }

  /** Reads the time of the processes of one program in a namespace of a lab. */
  public static CpuTime of(String lab, String node, String program) throws IOException {
    return of(
        Namespaces.processes(List.of(Namespaces.name(lab, node))).stream()
            .filter(process -> process.info().command().orElse("").endsWith("/" + program))
            .toList());
  }

  /** Returns the microseconds since an earlier reading, of the processes that live now. */
  public double microsSince(CpuTime before) {
    long sum = 0;
    for (Map.Entry<Long, Long> entry : ticks.entrySet()) {
      sum += entry.getValue() - before.ticks.getOrDefault(entry.getKey(), 0L);
    }
    return MICROS_PER_TICK * sum;
  }

  /** Returns the microseconds of one process since an earlier reading; 0 if it has ended. */
  public double microsSince(CpuTime before, long pid) {
    long from = before.ticks.getOrDefault(pid, 0L);
    return MICROS_PER_TICK * (ticks.getOrDefault(pid, from) - from);
  }

  /** Returns the microseconds of a process until now. */
  public static double micros(long pid) throws IOException {
    return MICROS_PER_TICK * ticks(pid);
  }

  /** Returns the microseconds that all processors have spent in soft interrupts. */
  public static double softirqMicros() throws IOException {
    String all = Files.readString(Path.of("/proc/stat"), StandardCharsets.US_ASCII);
    return MICROS_PER_TICK
        * Long.parseLong(all.lines().findFirst().orElse("").split(" +", -1)[SOFTIRQ]);
  }

  /** Returns -1 if the process has ended. */
  private static long ticksOrNone(long pid) {
    try {
      return ticks(pid);
    } catch (IOException e) {
      return -1;
    }
  }

  private static long ticks(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return Long.parseLong(fields[USER_TIME]) + Long.parseLong(fields[SYSTEM_TIME]);
  }
}
