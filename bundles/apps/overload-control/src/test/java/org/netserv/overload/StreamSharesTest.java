// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.overload.feedback.Feedback;
import org.netserv.overload.feedback.FeedbackKind;
import org.netserv.packet.Tally;
import org.netserv.sip.SipError;

/**
 * Callers by TCP that share a window, in virtual time. The server does 230 requests a second, in
 * their order. The edge's thread looks at all sockets now and then, as on a busy machine, so that
 * many responses and many requests come at once.
 */
class StreamSharesTest {
  private static final int CAPACITY = 230;
  private static final int WINDOW = 16;
  private static final int SECONDS = 20;
  private static final int MEASURED = SECONDS - 1;
  private static final int STEPS = 1000; // of a second
  private static final long NETWORK = 0xffffc6336400L; // ::ffff:198.51.100.0
  private static final int FEEDBACK_STEPS = 200;

  /** A caller, each of whose calls has a stream of its own. */
  private static final class Caller {
    final long address;
    final int perSecond;
    double due;
    int sent;
    int passed;

    Caller(int host, int perSecond) {
      address = NETWORK + host;
      this.perSecond = perSecond;
    }
  }

  private record Call(Caller caller, long stream, String text) {}

  private final SplittableRandom random = new SplittableRandom(6357);
  private final AtomicReference<Feedback> inbox = new AtomicReference<>();
  private final ByteBuffer bytes = ByteBuffer.allocate(2 * StreamCutter.MOST);
  private final ByteBuffer answer = ByteBuffer.allocate(2 * StreamCutter.MOST);
  private final Queue<Call> atServer = new ArrayDeque<>();
  private final List<Call> requests = new ArrayList<>();
  private final List<Call> responses = new ArrayList<>();
  private final StreamEdge edge;
  private long millis = 1_000_000;
  private long number;
  private double credit;
  private double look;
  private boolean goes;

  StreamSharesTest() {
    Arbiter arbiter =
        new Arbiter(
            OverloadSettings.of(Rig.properties()), random, inbox, new Demand(), new Demand());
    edge =
        new StreamEdge(
            OverloadSettings.of(Rig.properties()),
            () -> millis * 1_000_000,
            random,
            arbiter,
            new Tally<>(Why.class),
            new Tally<>(SipError.class));
  }

  /**
   * Plays all seconds, and counts from the second one on.
   *
   * @param pause mean of the milliseconds between two looks of the edge
   */
  private void play(int pause, Caller... callers) {
    for (int step = 0; step < SECONDS * STEPS; step++) {
      if (step == STEPS) {
        for (Caller caller : callers) {
          caller.sent = 0;
          caller.passed = 0;
        }
      }
      if (step % FEEDBACK_STEPS == 0) {
        inbox.set(new Feedback(FeedbackKind.WINDOW, WINDOW, 2000, ++number));
      }
      millis++;
      for (Caller caller : callers) {
        call(caller);
      }
      serve(CAPACITY);
      if (millis >= look) {
        look = millis - pause * Math.log(1 - random.nextDouble());
        look();
      }
    }
  }

  private void call(Caller caller) {
    caller.due += 2 * random.nextDouble() * caller.perSecond / STEPS;
    while (caller.due >= 1) {
      caller.due--;
      number++;
      requests.add(new Call(caller, number, Rig.request("INVITE", "s" + number, "")));
    }
  }

  private void serve(int capacity) {
    credit += (double) capacity / STEPS;
    while (credit >= 1 && !atServer.isEmpty()) {
      credit--;
      responses.add(atServer.remove());
    }
    credit = Math.min(credit, 1);
  }

  private void look() {
    for (Call call : responses) {
      cut(call, Rig.response(200, call.text()), () -> edge.fromServer());
    }
    responses.clear();
    if (random.nextBoolean()) { // whose socket comes first is chance
      Collections.reverse(requests);
    }
    for (Call call : requests) {
      Caller caller = call.caller();
      answer.clear();
      cut(call, call.text(), () -> goes = edge.fromUser(0, caller.address, 9, true, answer));
      caller.sent++;
      if (goes) {
        caller.passed++;
        atServer.add(call);
      }
    }
    requests.clear();
    edge.turn();
  }

  private void cut(Call call, String text, Runnable whole) {
    StreamCutter cutter = new StreamCutter();
    cutter.restore(bytes);
    bytes.put(Rig.bytes(text));
    SipError error =
        cutter.cut(
            bytes,
            edge.message(),
            call.stream(),
            new StreamCutter.Taker() {
              @Override
              public void between(ByteBuffer from, int start, int end) {}

              @Override
              public void message(ByteBuffer from, int start, int end) {
                whole.run();
              }
            });
    assertEquals(SipError.OK, error);
  }

  /** The server is busy, so the flood's share is what the others leave. */
  @ParameterizedTest
  @CsvSource({"1000, 0", "1000, 10", "1000, 30", "300, 0", "300, 10", "300, 30", "250, 10"})
  void aFloodTakesNothingFromHonestCallers(int perSecond, int pause) {
    Caller flood = new Caller(10, perSecond);
    Caller honest = new Caller(11, 5);
    Caller other = new Caller(12, 20);
    play(pause, flood, honest, other);
    assertTrue(honest.passed >= 0.99 * honest.sent, honest.passed + " of " + honest.sent);
    assertTrue(other.passed >= 0.97 * other.sent, other.passed + " of " + other.sent);
    double done = (flood.passed + honest.passed + other.passed) / (double) MEASURED;
    assertTrue(done >= (pause < 30 ? 0.97 : 0.88) * CAPACITY, "done " + done);
  }

  @Test
  void twoFloodsHaveEqualShares() {
    Caller one = new Caller(10, 2000);
    Caller other = new Caller(11, 500);
    play(0, one, other);
    assertEquals(1, one.passed / (double) other.passed, 0.15);
    assertEquals(CAPACITY, (one.passed + other.passed) / (double) MEASURED, 5);
  }

  /** The window is as good as none for a server that answers at once. */
  @Test
  void aQuickServerGetsAll() {
    Caller some = new Caller(10, 200);
    play(0, some);
    assertTrue(some.passed >= 0.99 * some.sent, some.passed + " of " + some.sent);
  }

  @ParameterizedTest
  @ValueSource(ints = {500, 2000, 3500})
  void aServerThatStopsGetsAllAgain(int stop) {
    Caller flood = new Caller(10, 1000);
    Caller honest = new Caller(11, 5);
    play(10, flood, honest);
    for (int step = 0; step < stop; step++) {
      turn(0, flood, honest);
    }
    for (int step = 0; step < STEPS / 2; step++) {
      turn(CAPACITY, flood, honest);
    }
    flood.passed = 0;
    honest.passed = 0;
    honest.sent = 0;
    for (int step = 0; step < 4 * STEPS; step++) {
      turn(CAPACITY, flood, honest);
    }
    assertEquals(CAPACITY, (flood.passed + honest.passed) / 4.0, 10);
    assertEquals(honest.sent, honest.passed);
  }

  /** Plays a millisecond, at the end of which the edge looks. */
  private void turn(int capacity, Caller... callers) {
    millis++;
    inbox.set(new Feedback(FeedbackKind.WINDOW, WINDOW, 2000, ++number));
    for (Caller caller : callers) {
      call(caller);
    }
    serve(capacity);
    look();
  }
}
