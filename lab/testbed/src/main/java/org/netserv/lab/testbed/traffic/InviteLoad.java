// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.traffic;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;

/**
 * A sipp that sends INVITEs at a rate. It writes its counters each second, and the delay of each
 * 503.
 */
public final class InviteLoad {
  private static final int DEADLINE = 4000;
  private static final int CALLS_MOST = 60_000;

  /**
   * The counters at one time.
   *
   * @param second since the start of the load
   */
  public record Row(int second, long sent, long rejected, long answered, long lost, long repeated) {
    /** Returns the same counters, with every call lost that got no answer. For the last row. */
    public Row ended() {
      return new Row(second, sent, rejected, answered, sent - rejected - answered, repeated);
    }

    /** Returns the same counters as if they were those of another second. */
    public Row at(int other) {
      return new Row(other, sent, rejected, answered, lost, repeated);
    }

    public Row minus(Row before) {
      return new Row(
          second - before.second,
          sent - before.sent,
          rejected - before.rejected,
          answered - before.answered,
          lost - before.lost,
          repeated - before.repeated);
    }

    public Row plus(Row other) {
      return new Row(
          Math.max(second, other.second),
          sent + other.sent,
          rejected + other.rejected,
          answered + other.answered,
          lost + other.lost,
          repeated + other.repeated);
    }

    public double perSecond(long count) {
      return count / (double) Math.max(1, second);
    }
  }

  /**
   * The sender of a load.
   *
   * @param node of the testbed
   * @param address of its own
   */
  public record Caller(String node, String address) {}

  /**
   * The calls of a load.
   *
   * @param to address of the server, or of an edge that takes its streams
   * @param tcp whether they go by one TCP stream, else by UDP
   * @param perSecond INVITEs
   * @param seconds that the load lasts
   * @param most calls that wait for an answer at a time; 0 = any number
   */
  public record Calls(String to, boolean tcp, int perSecond, int seconds, int most) {}

  private final Path directory;
  private final Process process;
  private final int seconds;

  private InviteLoad(Path directory, Process process, int seconds) {
    this.directory = directory;
    this.process = process;
    this.seconds = seconds;
  }

  /**
   * Starts the load.
   *
   * @param name new, for its files
   */
  public static InviteLoad start(Testbed testbed, String name, Caller caller, Calls calls)
      throws IOException {
    Path directory = Files.createDirectories(testbed.state().resolve("sipp-" + name));
    String text =
        Files.readString(LabHome.file("sipp/invite.xml"))
            .replace("@DEADLINE@", Integer.toString(DEADLINE));
    Path scenario = directory.resolve("invite.xml");
    Files.writeString(scenario, text);
    List<String> command =
        List.of(
            "sh", // sipp writes some files beside itself
            "-c",
            "cd \"$0\" && exec \"$@\"",
            directory.toString(),
            "sipp",
            "-sf",
            scenario.toString(),
            "-i",
            caller.address(),
            "-p",
            "5060",
            "-r",
            Integer.toString(calls.perSecond()),
            "-m",
            Integer.toString(calls.perSecond() * calls.seconds()),
            "-l",
            Integer.toString(calls.most() == 0 ? CALLS_MOST : calls.most()),
            "-t",
            calls.tcp() ? "t1" : "u1",
            "-timeout",
            (calls.seconds() + 10) + "s",
            "-default_behaviors",
            "all,-abortunexp,-bye",
            "-buff_size",
            "4194304",
            "-trace_stat",
            "-stf",
            directory.resolve("stat.csv").toString(),
            "-fd",
            "1",
            "-trace_rtt",
            "-rtt_freq",
            "1000",
            "-nostdin",
            calls.to() + ":5060");
    Process process = testbed.spawn(caller.node(), "sipp-" + name, command);
    return new InviteLoad(directory, process, calls.seconds());
  }

  /** Ends the load, with the calls that wait. */
  public void stop() {
    process.descendants().forEach(ProcessHandle::destroy);
    process.destroy();
    try {
      process.waitFor(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for the end and returns the counters, one row a second. */
  public List<Row> rows() throws IOException {
    try {
      if (!process.waitFor(seconds + 60L, TimeUnit.SECONDS)) {
        process.destroy();
        throw new LabException("sipp does not end: " + directory);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LabException("interrupted");
    }
    Path file = directory.resolve("stat.csv");
    if (!Files.exists(file)) {
      throw new LabException("sipp has not run: " + directory);
    }
    List<Row> rows = new ArrayList<>();
    List<String> lines = Files.readAllLines(file);
    List<String> names = List.of(lines.get(0).split(";", -1));
    for (String line : lines.subList(1, lines.size())) {
      rows.add(row(names, line.split(";", -1)));
    }
    return rows;
  }

  private static Row row(List<String> names, String[] fields) {
    String[] time = fields[names.indexOf("ElapsedTime(C)")].split(":", -1);
    int second =
        3600 * Integer.parseInt(time[0])
            + 60 * Integer.parseInt(time[1])
            + Integer.parseInt(time[2]);
    return new Row(
        second,
        value(names, fields, "TotalCallCreated"),
        value(names, fields, "GenericCounter1(C)"),
        value(names, fields, "GenericCounter2(C)"),
        value(names, fields, "GenericCounter3(C)"),
        value(names, fields, "Retransmissions(C)"));
  }

  private static long value(List<String> names, String[] fields, String name) {
    int at = names.indexOf(name);
    return at < 0 || at >= fields.length ? 0 : Long.parseLong(fields[at].strip());
  }

  /** Returns the counters between two seconds of a load. */
  public static Row between(List<Row> rows, int from, int to) {
    Row first = rows.get(0);
    Row last = rows.get(0);
    for (Row row : rows) {
      first = row.second() <= from ? row : first;
      last = row.second() <= to ? row : last;
    }
    return last.minus(first);
  }

  /** Returns the delays of the 503s that came after a second of the load, in ms, sorted. */
  public double[] rejectionDelays(int after) throws IOException {
    List<Double> delays = new ArrayList<>();
    double start = -1;
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(path -> path.toString().endsWith("_rtt.csv")).toList()) {
        for (String line : Files.readAllLines(file)) {
          String[] fields = line.split(";", -1);
          if (fields.length < 2 || !fields[0].matches("[0-9.]+")) {
            continue;
          }
          double at = Double.parseDouble(fields[0]);
          start = start < 0 ? at : start;
          if (at - start >= 1000.0 * after) {
            delays.add(Double.parseDouble(fields[1]));
          }
        }
      }
    }
    double[] sorted = delays.stream().mapToDouble(Double::doubleValue).toArray();
    Arrays.sort(sorted);
    return sorted;
  }
}
