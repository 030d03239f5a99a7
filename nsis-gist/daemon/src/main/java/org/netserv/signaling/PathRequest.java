// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.netserv.gist.MessageStatus;
import org.netserv.gist.port.Timers;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.SessionId;
import org.netserv.ncm.Method;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.PathEnd;
import org.netserv.ncm.ResponseEntry;
import org.netserv.ncm.ResponseStack;
import org.netserv.ncm.Where;
import org.netserv.nslp.Carried;
import org.netserv.nslp.NslpMessage;
import org.netserv.nslp.NslpMessage.Response;
import org.netserv.nslp.RequestId;
import org.netserv.signaling.ControllerPort.Question;
import org.netserv.signaling.ControllerPort.Verdict;
import org.netserv.signaling.SignalingCounters.Counter;

/**
 * One request at one node, from its arrival to its answer. The request waits for three results side
 * by side. {@link #advance} alone decides the next step:
 *
 * <pre>
 *   below:      SENDING -> WAITING -> KNOWN     the path below: its end, or the RESPONSE
 *   controller: NOT_YET -> WAITING -> KNOWN     asked at once, or when the end is known
 *   far:        NONE    -> WAITING -> KNOWN     the flow that a TRIGGER starts
 *   state:      OPEN ------------> SIGNING ---> ANSWERED
 * </pre>
 *
 * The message goes on before the controller is asked. When the time is over, the answer leaves out
 * each missing result and says that it is missing.
 */
final class PathRequest {
  /** Shortest time left, in ms, in which another node is still asked. */
  static final int BUDGET_MIN = 300;

  private static final long LAST_NODE_MAX = 8_000;
  private static final long SIGN_GRACE = 150;
  private static final long[] RESEND_AFTER = {200, 1_000, 3_000};

  private enum State {
    OPEN,
    SIGNING,
    ANSWERED
  }

  private enum Part {
    NONE,
    NOT_YET,
    SENDING,
    WAITING,
    KNOWN
  }

  /**
   * A message on its way: its flow, its session and its contents.
   *
   * @param peer the address of the previous hop, which GIST has proved; null if the flow starts
   *     here
   */
  @SuppressWarnings("ArrayRecordComponent") // nobody changes the array
  record Message(
      RequestId id,
      SessionId session,
      Mri mri,
      byte[] bytes,
      Carried carried,
      int budgetMillis,
      int hops,
      int interfaceIndex,
      boolean local,
      InetAddress peer) {}

  private final Services services;
  private final Message message;
  private final Consumer<Response> upstream;
  private final long deadline;

  private State state = State.OPEN;
  private Part below = Part.NOT_YET;
  private Part controller = Part.NOT_YET;
  private Part far = Part.NONE;
  private int attempt;
  private boolean peered;
  private ResponseStack stack = ResponseStack.EMPTY;
  private PathEnd end;
  private ResponseStack farStack;
  private PathEnd farEnd;
  private String reason = "";
  private Verdict verdict;
  private boolean unheard;
  private Timers.Timer timer;

  /**
   * Creates a request that nothing has been done about.
   *
   * @param upstream gets the answer, once
   */
  PathRequest(Services services, Message message, Consumer<Response> upstream) {
    this.services = services;
    this.message = message;
    this.upstream = upstream;
    this.deadline = services.timers().now() + message.budgetMillis();
  }

  RequestId id() {
    return message.id();
  }

  SessionId session() {
    return message.session();
  }

  Mri mri() {
    return message.mri();
  }

  /**
   * Returns whether a request that arrives by another way may be the message that was sent on from
   * here. Each node takes one off the hop count. A message that comes round has passed one more
   * node at least, so its count is lower by two or more.
   */
  boolean comesRound(int hops) {
    return attempt > 0 && hops < message.hops() - 1;
  }

  Carried carried() {
    return message.carried();
  }

  /**
   * Ends the request because others have a better claim to its slot. The nodes below may have
   * acted, and this node too, so the answer says that the path was not heard to its end.
   */
  void giveWay() {
    if (state == State.OPEN) {
      services.count(Counter.GAVE_WAY);
      ended(PathEnd.TIMED_OUT, "503: gave way to other sources, this node is busy");
      timer.cancel();
      answer(null);
    }
  }

  /** Sends the message on, then acts on it. */
  void start() {
    timer = services.timers().schedule(message.budgetMillis(), this::timeOver);
    if (message.local() || services.settings().get().lastNode()) {
      ended(PathEnd.ENDPOINT, "");
    } else if (message.hops() == 0) {
      ended(PathEnd.HOPS, "the hop count is used up");
    } else if (message.budgetMillis() < BUDGET_MIN) {
      ended(PathEnd.TIMED_OUT, "no time left to ask further nodes");
    } else {
      forward();
    }
    advance();
  }

  // ---- below

  private void forward() {
    below = Part.SENDING;
    int mine = ++attempt;
    Duration timeout = Duration.ofMillis(Math.min(LAST_NODE_MAX, left() / 3));
    services.verifyPath(message.mri(), message.session(), timeout);
    Transmission.send(
        services,
        new NslpMessage.Request(message.id(), (int) rest(), message.bytes()).encode(),
        message.session(),
        message.mri(),
        null,
        timeout,
        message.hops(),
        (status, detail) -> sent(mine, status, detail));
    services.keepState(message.mri(), message.session());
  }

  private void sent(int which, MessageStatus status, String detail) {
    if (state != State.OPEN) {
      return; // The time of the request was over while GIST still tried.
    }
    if (which != attempt || below != Part.SENDING) {
      services.count(Counter.UNEXPECTED);
      return;
    }
    switch (status) {
      case SENT -> {
        peered = true;
        below = Part.WAITING;
      }
      case NO_RESPONSE -> nobody(PathEnd.NO_ANSWER, detail);
      case LAST_NODE -> nobody(LastNode.end(detail), detail);
      case ASSOCIATION_LATE -> notConnected(status + ": " + detail);
      default -> ended(PathEnd.REFUSED, status + ": " + detail);
    }
    advance();
  }

  /**
   * Ends the part below because no peer answered. A peer that answered before may come back, so its
   * loss is not the end of the path.
   */
  private void nobody(PathEnd how, String detail) {
    if (peered) {
      ended(PathEnd.TIMED_OUT, "a node below was lost: " + detail);
    } else {
      ended(how, detail);
    }
  }

  /**
   * Tries again when an association was not connected in time. A peer exists because it has
   * answered, and on a bad link a connection may take more than one try.
   */
  private void notConnected(String why) {
    if (attempt > RESEND_AFTER.length || left() < BUDGET_MIN) {
      ended(PathEnd.REFUSED, why);
    } else {
      below = Part.NOT_YET;
      resendLater();
    }
  }

  private void resendLater() {
    int lost = attempt;
    services.timers().schedule(RESEND_AFTER[attempt - 1], () -> resend(lost));
  }

  private void ended(PathEnd how, String why) {
    below = Part.KNOWN;
    end = how;
    reason = why;
  }

  /** Takes the RESPONSE from below. */
  void response(Response response) {
    if (state != State.OPEN) {
      services.count(Counter.LATE_RESPONSE);
      return;
    }
    if (below == Part.KNOWN || attempt == 0) {
      services.count(Counter.UNEXPECTED);
      return;
    }
    ended(response.end(), response.reason());
    stack = response.stack();
    farStack = response.farStack();
    farEnd = response.farEnd();
    advance();
  }

  /** Sends the message again if the peer below was lost, or the way to it, before it answered. */
  void peerLost() {
    if (state != State.OPEN || below != Part.WAITING) {
      return;
    }
    if (attempt > RESEND_AFTER.length) {
      ended(PathEnd.TIMED_OUT, "a node below was lost");
      advance();
      return;
    }
    below = Part.NOT_YET;
    resendLater();
  }

  private void resend(int lost) {
    if (state == State.OPEN && below == Part.NOT_YET && attempt == lost && left() >= BUDGET_MIN) {
      services.count(Counter.RESENT);
      forward();
      advance();
    }
  }

  // ---- the controller

  /** Returns whether only the last node shows the message to its controller. */
  private boolean needsEnd() {
    return trigger() || message.carried().ncm().where().kind() == Where.Kind.LAST;
  }

  private boolean trigger() {
    return message.carried().trigger() != null;
  }

  private boolean lastHere() {
    return below == Part.KNOWN && end.last() && stack.entries().isEmpty();
  }

  private void ask() {
    if (needsEnd() && !lastHere()) {
      controller = Part.KNOWN;
      return;
    }
    controller = Part.WAITING;
    services
        .controller()
        .ask(
            new Question(
                message.bytes(),
                trigger(),
                rest(),
                message.mri().source(),
                message.mri().destination(),
                message.interfaceIndex(),
                lastHere(),
                message.peer(),
                message.carried().ncm().method() == Method.PROBE && !trigger()),
            this::decided);
  }

  private void decided(Verdict said) {
    if (state != State.OPEN || controller != Part.WAITING) {
      services.count(Counter.LATE_CONTROLLER);
      return;
    }
    controller = Part.KNOWN;
    verdict = said;
    switch (said.kind()) {
      case AWAY -> services.count(Counter.CONTROLLER_AWAY);
      case UNKNOWN -> unheard = true;
      case DECIDED -> {
        if (trigger() && said.status() == 200 && said.message() != null) {
          far = Part.WAITING;
          services.starter().start(said.message(), (int) rest(), this::farAnswered);
        }
      }
    }
    advance();
  }

  private void farAnswered(Response response) {
    if (state != State.OPEN || far != Part.WAITING) {
      services.count(Counter.LATE_RESPONSE);
      return;
    }
    far = Part.KNOWN;
    farStack = response.stack();
    farEnd = response.end();
    if (reason.isEmpty()) {
      reason = response.reason();
    }
    advance();
  }

  // ---- the answer

  private void advance() {
    if (state != State.OPEN) {
      return;
    }
    if (controller == Part.NOT_YET && (!needsEnd() || below == Part.KNOWN)) {
      ask();
    }
    if (below == Part.KNOWN && controller == Part.KNOWN && far != Part.WAITING) {
      sign();
    }
  }

  private void timeOver() {
    if (state != State.OPEN) {
      return;
    }
    services.count(Counter.TIMED_OUT);
    if (below != Part.KNOWN) {
      ended(PathEnd.TIMED_OUT, "no answer from below in time");
    }
    unheard |= controller == Part.WAITING;
    if (far == Part.WAITING) {
      farStack = ResponseStack.EMPTY;
      farEnd = PathEnd.TIMED_OUT;
    }
    sign();
  }

  private void sign() {
    timer.cancel();
    if (verdict == null || verdict.ticket() == null) {
      answer(null);
      return;
    }
    state = State.SIGNING;
    timer = services.timers().schedule(Math.max(SIGN_GRACE, left()), () -> signed(null));
    List<ResponseEntry> entries = stack.entries();
    ResponseEntry top = entries.isEmpty() ? null : entries.get(entries.size() - 1);
    services.controller().sign(verdict.ticket(), top, this::signed);
  }

  private void signed(ResponseEntry entry) {
    if (state != State.SIGNING) {
      services.count(Counter.LATE_CONTROLLER);
      return;
    }
    if (entry == null) {
      services.count(Counter.ENTRY_LEFT_OUT);
    }
    timer.cancel();
    answer(entry);
  }

  private void answer(ResponseEntry own) {
    state = State.ANSWERED;
    services.count(Counter.ANSWERED);
    if (unheard) {
      // A node above must not take itself for the last node, because this one may have acted.
      ended(PathEnd.TIMED_OUT, "the controller of a node did not answer");
    }
    upstream.accept(withOwn(own));
  }

  private Response withOwn(ResponseEntry own) {
    Response bare = new Response(message.id(), stack, end, farStack, farEnd, reason);
    if (own == null) {
      return bare;
    }
    List<ResponseEntry> entries = new ArrayList<>(stack.entries());
    entries.add(own);
    try {
      Response full =
          new Response(message.id(), ResponseStack.of(entries), end, farStack, farEnd, reason);
      if (full.fits()) {
        return full;
      }
    } catch (NcmException e) {
      // The stack has 64 entries already.
    }
    services.count(Counter.ENTRY_LEFT_OUT);
    return bare;
  }

  // ---- time

  private long left() {
    return Math.max(0, deadline - services.timers().now());
  }

  /**
   * Returns the part of the time left that other nodes may use, in ms. A tenth of the time left,
   * and at least 200 ms, stays here.
   */
  private long rest() {
    long left = left();
    return Math.max(1, left - Math.max(200, left / 10));
  }
}
