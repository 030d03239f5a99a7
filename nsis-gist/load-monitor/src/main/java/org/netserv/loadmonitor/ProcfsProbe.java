// SPDX-License-Identifier: Apache-2.0
package org.netserv.loadmonitor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Looks at a server through procfs, so that the server takes no part in it:
 *
 * <pre>
 *   net/udp, net/udp6    rx_queue and drops of the sockets on the server's port
 *   net/snmp, net/snmp6  InDatagrams: datagrams that programs have read
 *   net/tcp, net/tcp6    rx_queue of the connections to the server's port, for a server by TCP
 *   PID/stat             utime and stime of the process in the pid file and of its children
 * </pre>
 *
 * The counters belong to the network namespace that this process is in. One thread.
 */
public final class ProcfsProbe implements LoadProbe {
  private static final int LOCAL = 1;
  private static final int STATE = 3;
  private static final int QUEUES = 4;
  private static final int DROPS = 12;
  private static final int PARENT = 1; // fields of stat behind the name
  private static final int UTIME = 11;
  private static final int STIME = 12;
  private static final int TICK_MILLIS = 10; // USER_HZ is 100 on every architecture of Linux
  private static final String ESTABLISHED = "01";
  private static final String IN_DATAGRAMS = "InDatagrams";

  private final Path proc;
  private final Path pidFile;
  private final String suffix;
  private final boolean streams;
  private final LongSupplier nanos;

  /**
   * Makes a probe.
   *
   * @param proc usually {@code /proc}
   * @param port of the server
   * @param streams whether it is a TCP port; what has been read is not known then
   * @param pidFile of the server's main process; null = no processor times
   * @param nanos a monotonic clock
   */
  public ProcfsProbe(Path proc, int port, boolean streams, Path pidFile, LongSupplier nanos) {
    this.proc = proc;
    this.pidFile = pidFile;
    this.nanos = nanos;
    this.streams = streams;
    suffix = ":%04X".formatted(port);
  }

  @Override
  public LoadSample sample() throws IOException {
    if (streams) {
      long waiting = waiting(proc.resolve("self/net/tcp")) + waiting(proc.resolve("self/net/tcp6"));
      return new LoadSample(nanos.getAsLong(), 0, waiting, 0, cpu());
    }
    long[] sockets = new long[2];
    addSockets(proc.resolve("self/net/udp"), sockets);
    addSockets(proc.resolve("self/net/udp6"), sockets);
    long served = udp(proc.resolve("self/net/snmp")) + udp6(proc.resolve("self/net/snmp6"));
    return new LoadSample(nanos.getAsLong(), served, sockets[0], sockets[1], cpu());
  }

  private void addSockets(Path table, long[] sockets) throws IOException {
    for (String line : lines(table)) {
      String[] fields = line.trim().split("\\s+", -1);
      if (fields.length > DROPS && fields[LOCAL].endsWith(suffix)) {
        String queues = fields[QUEUES];
        sockets[0] += number(queues.substring(queues.indexOf(':') + 1), 16);
        sockets[1] += number(fields[DROPS], 10);
      }
    }
  }

  /** Returns the bytes that wait in all connections to the server's port. */
  private long waiting(Path table) throws IOException {
    long bytes = 0;
    for (String line : lines(table)) {
      String[] fields = line.trim().split("\\s+", -1);
      if (fields.length > QUEUES
          && fields[LOCAL].endsWith(suffix)
          && fields[STATE].equals(ESTABLISHED)) {
        bytes += number(fields[QUEUES].substring(fields[QUEUES].indexOf(':') + 1), 16);
      }
    }
    return bytes;
  }

  /** Reads the table of net/snmp: a line of names, and a line of values below it. */
  private static long udp(Path file) throws IOException {
    String[] names = null;
    for (String line : lines(file)) {
      if (line.startsWith("Udp: ")) {
        String[] fields = line.split(" ", -1);
        int at = names == null ? -1 : List.of(names).indexOf(IN_DATAGRAMS);
        if (at > 0 && at < fields.length) {
          return number(fields[at], 10);
        }
        names = fields;
      }
    }
    return 0;
  }

  private static long udp6(Path file) throws IOException {
    for (String line : lines(file)) {
      if (line.startsWith("Udp6" + IN_DATAGRAMS)) {
        return number(line.substring(line.lastIndexOf(' ') + 1).strip(), 10);
      }
    }
    return 0;
  }

  private static List<String> lines(Path file) throws IOException {
    try {
      return Files.readAllLines(file);
    } catch (NoSuchFileException e) {
      return List.of(); // a kernel without IPv6
    }
  }

  private static long number(String text, int radix) {
    try {
      return Long.parseLong(text.strip(), radix);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  private long cpu() throws IOException {
    if (pidFile == null || !Files.exists(pidFile)) {
      return 0;
    }
    long main = number(Files.readString(pidFile), 10);
    Set<Long> parents = new HashSet<>(Set.of(main));
    long ticks = 0;
    try (Stream<Path> all = Files.list(proc)) {
      for (Path process : (Iterable<Path>) all.sorted()::iterator) {
        ticks += ticks(process, parents);
      }
    }
    return ticks * TICK_MILLIS;
  }

  /** Returns the ticks of a process if it is the main process or a child of it. */
  private static long ticks(Path process, Set<Long> parents) {
    long pid = number(process.getFileName().toString(), 10);
    if (pid <= 0) {
      return 0;
    }
    try {
      String stat = Files.readString(process.resolve("stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      boolean ours = parents.contains(pid) || parents.contains(number(fields[PARENT], 10));
      return ours ? number(fields[UTIME], 10) + number(fields[STIME], 10) : 0;
    } catch (IOException e) {
      return 0; // it has ended
    }
  }
}
