// SPDX-License-Identifier: Apache-2.0
package org.netserv.loadmonitor;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.netserv.loadmonitor.MonitorConfig.Control;
import org.netserv.loadmonitor.MonitorMachine.Act;
import org.netserv.loadmonitor.MonitorMachine.Event;
import org.netserv.loadmonitor.MonitorMachine.State;
import org.netserv.overload.feedback.FeedbackMac;

/**
 * The receiving entity beside a SIP server. Each {@link #turn} looks at the server, decides by a
 * {@link Regulator} and {@link MonitorMachine}, and sends feedback to the edges.
 *
 * <pre>
 *   LoadProbe --> Regulator ---> Shares --> feedback to each Edge --> reports back
 *                     |                                                  |
 *                     +--------------> MonitorMachine <------------------+
 *                                          |
 *                                      Deployer: SETUP, REMOVE
 * </pre>
 *
 * <p>One thread calls all methods. The deployer's answers come back to it by the executor.
 */
public final class LoadMonitor {
  private static final System.Logger LOG = System.getLogger(LoadMonitor.class.getName());
  private static final long REST = 5000;
  private static final long PREPARE = 30_000;
  private static final long PREPARE_AGAIN = 1_000; // while an edge has no node
  private static final double STEP = 0.05; // of a rate, beyond which feedback does not wait
  private static final long MICROS = 1000;

  /** Milliseconds between two messages to an edge that may begin to listen at any time. */
  static final long KNOCK = 20;

  /** Milliseconds from the SETUP for which an edge is awaited so closely. */
  private static final long AWAITED = 10_000;

  /** A way to send a datagram to an edge. */
  @FunctionalInterface
  public interface Sender {
    void send(int edge, byte[] datagram);
  }

  private final Control control;
  private final LoadProbe probe;
  private final Deployer deployer;
  private final Sender sender;
  private final Executor self;
  private final SecureRandom random;
  private final Regulator regulator;
  private final MonitorMachine machine = new MonitorMachine();
  private final List<Edge> edges;
  private final double[] sent; // value in the last feedback of each edge
  private final long[] sentAt;
  private long sequence;
  private int heavy; // looks in a row
  private long calmSince;
  private long restUntil;
  private long prepareAt;
  private long askedAt;
  private long informedAt;

  /**
   * Makes a monitor that has nothing deployed.
   *
   * @param streams whether the server's load comes by TCP
   * @param self runs tasks on the thread that calls {@link #turn}
   */
  LoadMonitor(
      Control control,
      boolean streams,
      List<Edge> edges,
      LoadProbe probe,
      Deployer deployer,
      Sender sender,
      Executor self,
      SecureRandom random) {
    this.control = control;
    this.edges = List.copyOf(edges);
    this.probe = probe;
    this.deployer = deployer;
    this.sender = sender;
    this.self = self;
    this.random = random;
    regulator = streams ? new StreamRegulator(control) : new DatagramRegulator(control);
    sent = new double[edges.size()];
    sentAt = new long[edges.size()];
  }

  /**
   * Takes one step.
   *
   * @param now wall clock in milliseconds
   */
  public void turn(long now) throws IOException {
    regulator.add(probe.sample(), edges, isHolding());
    heavy = regulator.isHeavy() ? heavy + 1 : 0;
    if (heavy >= 2) {
      act(Event.HEAVY, now);
    }
    if (machine.state() == State.IDLE && now >= prepareAt) {
      boolean all = true;
      for (int i = 0; i < edges.size(); i++) {
        all &= deployer.prepare(i);
      }
      prepareAt = now + (all ? PREPARE : PREPARE_AGAIN);
    }
    if (machine.state() == State.RESTING && now >= restUntil) {
      act(Event.DONE, now);
    }
    if (machine.state() == State.ASKING || machine.state() == State.CONTROLLING) {
      inform(now);
      calm(now);
    }
  }

  /**
   * Sends its share to each edge that has not reported yet, so that it is at work as soon as its
   * module is. Called between two looks while {@link #isAwaiting}.
   */
  void knock(long now) {
    if (isAwaiting(now) && now - informedAt >= KNOCK) {
      inform(now);
    }
  }

  /** Tells whether SETUPs are under way, so that an edge may begin to listen at any time. */
  boolean isAwaiting(long now) {
    boolean asked = machine.state() == State.ASKING || machine.state() == State.CONTROLLING;
    return asked && now - askedAt < AWAITED && !edges.stream().allMatch(Edge::hasReported);
  }

  /** Tells whether some edge rejects requests. */
  private boolean isHolding() {
    return edges.stream().anyMatch(edge -> edge.rejected() > 0.5);
  }

  private void act(Event event, long now) {
    State before = machine.state();
    Act act = machine.take(event);
    if (machine.state() != before) {
      LOG.log(System.Logger.Level.INFO, "{0} -> {1} ({2})", before, machine.state(), event);
      restUntil = now + REST;
      calmSince = now;
    }
    switch (act) {
      case DEPLOY -> {
        askedAt = now;
        deploy();
      }
      case REMOVE -> release(now);
      case NONE -> {}
    }
  }

  private void deploy() {
    regulator.begin();
    all(
        i -> {
          byte[] key = new byte[FeedbackMac.KEY_LENGTH];
          random.nextBytes(key);
          edges.get(i).begin(key);
          sentAt[i] = 0;
          return deployer.deploy(i, HexFormat.of().formatHex(key));
        },
        done -> {
          if (done == 0) {
            act(Event.FAILED, restUntil - REST);
          }
        });
  }

  /** Ends control at once, and then takes the modules away. */
  private void release(long now) {
    for (int i = 0; i < edges.size(); i++) {
      sender.send(i, edges.get(i).feedback(regulator.kind(), 0, 0, next(now)));
    }
    all(
        deployer::remove,
        done -> act(done == edges.size() ? Event.DONE : Event.FAILED, restUntil - REST));
  }

  private interface Request {
    CompletionStage<Boolean> of(int edge);
  }

  /** Asks all edges, and tells on this thread how many did it. */
  private void all(Request request, Consumer<Integer> told) {
    CompletableFuture<Integer> count = CompletableFuture.completedFuture(0);
    for (int i = 0; i < edges.size(); i++) {
      CompletionStage<Boolean> one = request.of(i).exceptionally(e -> false);
      count = count.thenCombine(one, (sum, done) -> sum + (done ? 1 : 0));
    }
    var unused = count.thenAcceptAsync(told, self);
  }

  /** Sends each edge its share, on a step at once, else when the interval is over. */
  private void inform(long now) {
    informedAt = now;
    double[] shares = regulator.shares(edges.stream().mapToDouble(Edge::offered).toArray());
    long soon = isAwaiting(now) ? KNOCK : control.sample();
    for (int i = 0; i < shares.length; i++) {
      boolean step = Math.abs(shares[i] - sent[i]) > STEP * sent[i];
      long interval = edges.get(i).hasReported() ? regulator.interval() : soon;
      if (step || now - sentAt[i] >= interval) {
        int value = (int) Math.max(1, Math.round(shares[i]));
        sender.send(
            i, edges.get(i).feedback(regulator.kind(), value, control.validity(), next(now)));
        sent[i] = shares[i];
        sentAt[i] = now;
      }
    }
  }

  private long next(long now) {
    sequence = Math.max(sequence + 1, now * MICROS);
    return sequence;
  }

  /** Notes when the load at the edges went below the capacity. */
  private void calm(long now) {
    boolean all = edges.stream().allMatch(edge -> edge.isHeard(now, 4L * control.feedback()));
    double asked = edges.stream().mapToDouble(edge -> Math.max(0, edge.offered())).sum();
    if (!all || heavy > 0 || asked > control.calmLoad() / 100.0 * regulator.capacity()) {
      calmSince = now;
    }
    if (now - calmSince >= control.calm()) {
      act(Event.CALM, now);
    }
  }

  /** Takes a datagram that came from the feedback address of an edge. */
  void take(int edge, byte[] datagram, int length, long now) {
    boolean first = !edges.get(edge).hasReported();
    if (edges.get(edge).take(datagram, length, now)) {
      if (first) {
        LOG.log(System.Logger.Level.INFO, "edge {0} is at work", edge);
      }
      act(Event.READY, now);
    }
  }

  State state() {
    return machine.state();
  }

  /** Returns the state, the server's figures and the edges', each by its name. */
  Map<String, Object> status() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("state", machine.state().name());
    regulator.status(all);
    for (int i = 0; i < edges.size(); i++) {
      Edge edge = edges.get(i);
      all.put("edge" + i + "." + regulator.kind().text(), Math.round(sent[i]));
      all.put("edge" + i + ".offered", Math.round(edge.offered()));
      all.put("edge" + i + ".rejected", Math.round(edge.rejected()));
    }
    return all;
  }
}
