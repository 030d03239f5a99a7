// SPDX-License-Identifier: Apache-2.0
package org.netserv.loadmonitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.loadmonitor.MonitorConfig.Control;
import org.netserv.loadmonitor.MonitorMachine.State;
import org.netserv.overload.feedback.EdgeReport;
import org.netserv.overload.feedback.Feedback;
import org.netserv.overload.feedback.FeedbackException;
import org.netserv.overload.feedback.FeedbackKind;
import org.netserv.overload.feedback.FeedbackMac;

/** The monitor against a model of a server and its edges, in virtual time. */
class LoadMonitorTest {
  private static final int BYTES = 1000;
  private static final double LIMIT = 200; // messages in the server's socket

  /** An edge that obeys its last feedback exactly. */
  private static final class ModelEdge {
    double offered;
    double allowed = Double.MAX_VALUE;
    FeedbackMac mac;
    boolean deployed;
    long opens; // time at which the module listens, 0 = it does, or nobody has asked for it
    double offeredEver;
    double admittedEver;
    double waiting; // of this edge's, at a server by TCP
    boolean window;

    /** Requests per second that pass now. */
    double admitted() {
      return window
          ? Math.min(offered, Math.max(0, allowed - waiting) * 1000)
          : Math.min(offered, allowed);
    }
  }

  private final List<ModelEdge> models = new ArrayList<>();
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private final List<Runnable> arrivals = new ArrayList<>();
  private boolean streams;
  private boolean refuse;
  private long setupMillis; // from the SETUP until the module listens
  private double capacity = 460;
  private double queue;
  private double served;
  private double drops;
  private long now = 1_000_000;
  private LoadMonitor monitor;
  private long opened; // time at which the last module began to listen
  private long worked; // time of the first report
  private int setups;
  private int removes;

  private final Deployer deployer =
      new Deployer() {
        @Override
        public CompletionStage<Boolean> deploy(int edge, String key) {
          setups++;
          models.get(edge).mac = new FeedbackMac(HexFormat.of().parseHex(key));
          if (setupMillis > 0) {
            models.get(edge).opens = now + setupMillis;
            return new CompletableFuture<>(); // answered later than the monitor needs it
          }
          models.get(edge).deployed = !refuse;
          return CompletableFuture.completedStage(!refuse);
        }

        @Override
        public CompletionStage<Boolean> remove(int edge) {
          removes++;
          models.get(edge).deployed = false;
          models.get(edge).allowed = Double.MAX_VALUE;
          return CompletableFuture.completedStage(true);
        }

        @Override
        public void close() {}
      };

  private void start(double... offered) {
    List<Edge> edges = new ArrayList<>();
    for (double each : offered) {
      ModelEdge model = new ModelEdge();
      model.offered = each;
      models.add(model);
      edges.add(new Edge(new InetSocketAddress(1)));
    }
    monitor =
        new LoadMonitor(
            new Control(null, null, null, null, null, null, null, BYTES, null),
            streams,
            edges,
            this::sample,
            deployer,
            this::arrive,
            tasks::add,
            new SecureRandom());
  }

  private LoadSample sample() {
    return new LoadSample(
        now * 1_000_000,
        streams ? 0 : (long) served,
        (long) (queue * BYTES),
        (long) drops,
        now / 2);
  }

  /** Takes feedback at an edge, and queues its report. */
  private void arrive(int edge, byte[] datagram) {
    ModelEdge model = models.get(edge);
    if (!model.deployed) {
      return;
    }
    try {
      Feedback feedback = Feedback.decode(datagram, datagram.length, model.mac);
      model.allowed = feedback.validity() == 0 ? Double.MAX_VALUE : feedback.value();
      model.window = feedback.algorithm() == FeedbackKind.WINDOW;
      worked = worked == 0 ? now : worked;
      EdgeReport report =
          new EdgeReport(
              2,
              feedback.sequence(),
              (long) model.offeredEver,
              (long) model.admittedEver,
              (long) (model.offeredEver - model.admittedEver),
              0,
              (int) model.waiting,
              (int) now);
      byte[] answer = report.encode(model.mac);
      arrivals.add(() -> monitor.take(edge, answer, answer.length, now));
    } catch (FeedbackException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Plays so many seconds in steps of 1 ms. The monitor looks at each hundredth. */
  private void play(double seconds) throws IOException {
    for (int i = 1; i <= Math.round(seconds * 1000); i++) {
      now++;
      step();
      if (i % 100 == 0) {
        monitor.turn(now);
        while (!tasks.isEmpty()) {
          tasks.remove().run();
        }
      }
      monitor.knock(now);
      List<Runnable> due = List.copyOf(arrivals);
      arrivals.clear();
      due.forEach(Runnable::run);
    }
  }

  /** Plays until the monitor is in a state. Returns the milliseconds that it took. */
  private long until(State state) throws IOException {
    long begin = now;
    while (monitor.state() != state && now - begin < 10_000) {
      play(0.1);
    }
    return now - begin;
  }

  /** Plays a millisecond of the edges and the server. */
  private void step() {
    for (ModelEdge model : models) {
      if (model.opens > 0 && now >= model.opens) {
        model.deployed = true;
        model.opens = 0;
        opened = now;
      }
      double admitted = model.admitted() / 1000;
      model.offeredEver += model.offered / 1000;
      model.admittedEver += admitted;
      queue += admitted;
      model.waiting += streams ? admitted : 0;
    }
    double done = Math.min(queue, capacity / 1000);
    models.forEach(model -> model.waiting -= queue == 0 ? 0 : model.waiting * done / queue);
    served += done;
    queue -= done;
    if (queue > LIMIT && !streams) {
      drops += queue - LIMIT;
      queue = LIMIT;
    }
  }

  private double admitted() {
    return models.stream().mapToDouble(ModelEdge::admitted).sum();
  }

  @Test
  void aServerWithoutLoadIsLeftAlone() throws IOException {
    start(100, 200);
    play(20);
    assertEquals(State.IDLE, monitor.state());
    assertEquals(0, setups);
  }

  @Test
  void aFloodIsHeldAtTheCapacityWithinTwoSeconds() throws IOException {
    start(2000, 2000);
    play(2);
    assertEquals(State.CONTROLLING, monitor.state());
    double before = served;
    play(10);
    assertTrue(served - before >= 0.97 * 10 * capacity, "served " + (served - before));
    assertTrue(queue < 60, "queue " + queue);
    assertEquals(models.get(0).admitted(), models.get(1).admitted(), 0.05 * capacity / 2);
  }

  /**
   * Of the time from an overload to a server that is kept at its capacity, the nodes need their
   * part for the SETUP. The monitor needs two looks before it, a knock after it, and the time in
   * which the queue drains.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theMonitorAddsLittleToTheTimeOfTheSetup(boolean byStreams) throws IOException {
    streams = byStreams;
    setupMillis = 777;
    start(0, 0);
    play(1);
    models.forEach(model -> model.offered = 350); // a little too much
    assertTrue(until(State.ASKING) <= 300, "two looks, and one at a queue that is not long yet");
    until(State.CONTROLLING);
    assertTrue(worked - opened < LoadMonitor.KNOCK, worked - opened + " ms after it listens");
    double before = served;
    play(1);
    assertTrue(served - before >= 0.97 * capacity, "served " + (served - before));
    assertTrue(queue < 60, "queue " + queue);
  }

  @Test
  void anEdgeThatStaysSilentIsNotAwaitedForLong() throws IOException {
    setupMillis = 60_000;
    start(2000);
    until(State.ASKING);
    assertTrue(monitor.isAwaiting(now));
    play(10);
    assertFalse(monitor.isAwaiting(now));
  }

  /** A few messages that wait tell nothing of a server whose capacity is not known. */
  @Test
  void fewMessagesThatWaitAreNoOverload() throws IOException {
    start(0);
    play(1);
    for (int i = 0; i < 20; i++) {
      queue = 50; // of which 4 are left at the next look
      play(0.1);
      assertTrue(queue >= 3 && queue < 6, "queue " + queue);
    }
    assertEquals(State.IDLE, monitor.state());
  }

  /** Nothing is known of what the server by TCP has read, and nothing is dropped. */
  @Test
  void aFloodByStreamsIsHeldByWhatTheEdgesReport() throws IOException {
    streams = true;
    start(1000, 1000);
    play(2);
    assertEquals(State.CONTROLLING, monitor.state());
    double before = served;
    play(10);
    assertTrue(served - before >= 0.97 * 10 * capacity, "served " + (served - before));
    assertTrue(queue < 60, "queue " + queue);
    assertEquals(models.get(0).admittedEver, models.get(1).admittedEver, 0.05 * 10 * capacity / 2);
    models.forEach(model -> model.offered = 100);
    play(8);
    assertEquals(State.IDLE, monitor.state());
    assertEquals(2, removes);
  }

  @Test
  void capacityThatFallsOrRisesIsFollowed() throws IOException {
    start(2000);
    play(5);
    capacity = 230;
    play(5);
    assertEquals(230, admitted(), 25);
    capacity = 920;
    play(8);
    assertTrue(admitted() >= 0.9 * 920, "admitted " + admitted());
  }

  @Test
  void aModestEdgeGetsAllThatItAsks() throws IOException {
    start(2000, 100);
    play(10);
    assertEquals(100, models.get(1).admitted(), 1);
    assertEquals(360, models.get(0).admitted(), 30);
  }

  @Test
  void controlEndsWhenTheLoadIsGoneAndNotBefore() throws IOException {
    start(2000);
    play(10);
    models.get(0).offered = 430; // below the capacity, and not calm
    play(30);
    assertEquals(State.CONTROLLING, monitor.state());
    models.get(0).offered = 200;
    play(4);
    assertEquals(State.CONTROLLING, monitor.state());
    play(4);
    assertEquals(State.IDLE, monitor.state());
    assertEquals(1, setups);
    assertEquals(1, removes);
  }

  @Test
  void refusedSetupsAreTriedAgainAfterARest() throws IOException {
    refuse = true;
    start(2000);
    play(3);
    assertEquals(State.RESTING, monitor.state());
    assertEquals(1, setups);
    refuse = false;
    play(6);
    assertEquals(State.CONTROLLING, monitor.state());
    assertEquals(2, setups);
  }

  @Test
  void aReportOfAnotherKeyIsNone() throws IOException {
    start(2000);
    play(2);
    byte[] forged =
        new EdgeReport(0, Long.MAX_VALUE, 0, 0, 0, 0, 0, 0).encode(new FeedbackMac(new byte[32]));
    monitor.take(0, forged, forged.length, now);
    play(1);
    assertEquals(State.CONTROLLING, monitor.state());
    assertEquals(460, admitted(), 40);
  }

  @Test
  void everyEventIsAnsweredInEveryState() {
    for (MonitorMachine.Event first : MonitorMachine.Event.values()) {
      for (MonitorMachine.Event second : MonitorMachine.Event.values()) {
        for (MonitorMachine.Event third : MonitorMachine.Event.values()) {
          MonitorMachine machine = new MonitorMachine();
          machine.take(first);
          machine.take(second);
          State before = machine.state();
          MonitorMachine.Act act = machine.take(third);
          assertEquals(
              before != machine.state()
                  && (machine.state() == State.ASKING || machine.state() == State.RELEASING),
              act != MonitorMachine.Act.NONE);
        }
      }
    }
  }
}
