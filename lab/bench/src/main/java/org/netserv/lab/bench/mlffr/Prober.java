// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.netserv.lab.bench.Conversation;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Namespaces;
import org.netserv.lab.testbed.base.Wait;

/** Runs lab-mlffr in one stand, which sends through the router and counts. */
final class Prober implements Closeable {
  static final int PORT = 5060;

  private static final int BURST = 64;
  private static final int LATENCY_BURST = 8;
  private static final int LEAST_PACKETS = 1024;
  private static final double MILLIS = 1000;

  /** Time that a module's count gets to catch up, because the node reports counts a little late. */
  private static final Duration COUNTED = Duration.ofSeconds(10);

  private static final int WARM_UP_RATE = 40_000;
  private static final int WARM_UP_MS = 500;
  private static final int WARM_UP_MOST = 40;
  private static final int WARM_UP_SETTLED = 3;
  private static final int COMPILE_MS = 150;
  private static final double SETTLED = 1.05;

  /** Measurement of a trial beyond arrived packets, with its number in lab-mlffr. */
  private enum Kind {
    RATE(0),
    LATENCY(1),
    COST(2);

    private final int number;

    Kind(int number) {
      this.number = number;
    }
  }

  private final Conversation tool;
  private final boolean countable;
  private Reader reader = Reader.NONE;
  private long seen;
  private long passed;
  private int voids;
  private int trials;

  private Prober(Conversation tool, boolean countable) {
    this.tool = tool;
    this.countable = countable;
  }

  static Prober start(Stand stand, Cell cell) throws IOException {
    return start(
        stand.testbed(),
        new Wire("sender", "out", Stand.NODE, "labin", "receiver", "in"),
        List.of(cell.bytes(), PORT, cell.cores()));
  }

  /** The hosts and interfaces of a trial. */
  record Wire(
      String sender, String out, String router, String in, String receiver, String receives) {}

  /**
   * Starts lab-mlffr.
   *
   * @param arguments its arguments behind the places
   */
  static Prober start(Testbed testbed, Wire wire, List<?> arguments) throws IOException {
    String lab = testbed.topology().name();
    List<String> command =
        new ArrayList<>(
            List.of(
                LabHome.dist().resolve("bin/lab-mlffr").toString(),
                LabHome.dist().resolve("bin").toString(),
                Namespaces.name(lab, wire.sender()) + ":" + wire.out(),
                Namespaces.name(lab, wire.router()) + ":" + wire.in(),
                Namespaces.name(lab, wire.receiver()) + ":" + wire.receives()));
    arguments.forEach(argument -> command.add(argument.toString()));
    Conversation tool =
        Conversation.of("lab-mlffr", testbed.converse(wire.sender(), "mlffr", command));
    try {
      return new Prober(tool, tool.answer().get("countable") == 1);
    } catch (IOException e) {
      tool.close();
      throw new LabException(testbed.tail(wire.sender(), "mlffr", 5));
    }
  }

  /** Returns true if this machine can count instructions. */
  boolean countable() {
    return countable;
  }

  /** Sets the reader to measure, and runs it until its speed no longer rises. */
  void reader(Reader next) throws IOException {
    reader = next;
    StringBuilder tasks = new StringBuilder("tasks");
    next.threads().forEach(worker -> tasks.append(' ').append(worker.task()));
    ask(tasks.toString());
    ask("counters " + next.counters());
    for (Reader.Worker worker : next.threads()) {
      pin(worker);
    }
    if (next.compiles()) {
      warmUp();
      for (Reader.Worker worker : next.threads()) {
        ask("pin " + worker.pid() + " +"); // compilers and collectors leave the CPU
        pin(worker);
      }
      voids = 0;
      trials = 0;
    }
  }

  private void pin(Reader.Worker worker) throws IOException {
    if (ask("pin " + worker.pid() + " " + worker.thread()).get("threads") == 0) {
      throw new LabException(
          "process " + worker.pid() + " has no thread called " + worker.thread());
    }
  }

  /**
   * Sends packets until the reader gets no cheaper and its compilers have been idle for a while.
   * The virtual machine compiles a method well after 50,000 calls, and again if the method meets
   * something new. The compilers' work would otherwise count as the row's work.
   */
  private void warmUp() throws IOException {
    Compilers compilers = new Compilers(reader.threads());
    double least = Double.MAX_VALUE;
    int settled = 0;
    for (int i = 0; i < WARM_UP_MOST && settled < WARM_UP_SETTLED; i++) {
      double cost = cost(WARM_UP_RATE, WARM_UP_MS).processorEach();
      Wait.pause(COMPILE_MS);
      settled = compilers.idle() && cost * SETTLED > least ? settled + 1 : 0;
      least = Math.min(least, cost);
    }
  }

  /** Runs one trial. A rate of 0 is as fast as the sender can. */
  Trial trial(double rate, int millis) throws IOException {
    return trial(rate, millis, BURST, Kind.RATE);
  }

  /** Runs a trial that measures the processor time. */
  Trial cost(double rate, int millis) throws IOException {
    return trial(rate, millis, BURST, Kind.COST);
  }

  /** Runs a trial that measures the processor time, with short bursts. */
  Trial scattered(double rate, int millis) throws IOException {
    return trial(rate, millis, LATENCY_BURST, Kind.COST);
  }

  /** Runs a trial that measures the time on the way, with short bursts. */
  Trial latency(double rate, int millis) throws IOException {
    return trial(rate, millis, LATENCY_BURST, Kind.LATENCY);
  }

  private Trial trial(double rate, int millis, int burst, Kind kind) throws IOException {
    long packets = Math.max(LEAST_PACKETS, Math.round(rate * millis / MILLIS));
    String line =
        String.format(
            Locale.ROOT, "trial %d %d %d %d", Math.round(rate), packets, burst, kind.number);
    Trial trial = Trial.of(ask(line), reader.by());
    trials++;
    boolean counted = reader.by() == Reader.By.COUNTED;
    seen += counted ? trial.sent() : trial.seen();
    passed += counted ? trial.received() : trial.passed();
    if (trial.isVoid()) {
      voids++;
    }
    return trial;
  }

  /** Returns the trials in which packets went past the module. */
  int voids() {
    return voids;
  }

  int trials() {
    return trials;
  }

  /**
   * Compares the module's own count of packets with the packets that were read for it.
   *
   * <p>A packet with a late verdict was seen and did not pass. A packet that found no place in the
   * ring was read but not seen. The kernel's count for a module lies between the packets that
   * arrived and the packets that were sent.
   *
   * @throws LabException if the module's count is not between these limits in time
   */
  void verify() throws IOException {
    if (reader.module() == null) {
      return;
    }
    long[] says = new long[1];
    try {
      Wait.until(
          "the module's count",
          COUNTED,
          () -> {
            says[0] = reader.module().get();
            return says[0] > 0 && says[0] >= passed && says[0] <= seen;
          });
    } catch (IOException e) {
      throw new LabException(
          "void: the module saw %d packets, %d were read for it and %d passed"
              .formatted(says[0], seen, passed));
    }
  }

  private Map<String, Double> ask(String line) throws IOException {
    Map<String, Double> answer = tool.ask(line);
    if (answer.isEmpty()) {
      throw new LabException("lab-mlffr could not: " + line);
    }
    return answer;
  }

  @Override
  public void close() throws IOException {
    tool.close();
  }
}
