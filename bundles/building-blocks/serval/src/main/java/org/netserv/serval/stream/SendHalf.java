// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

import java.nio.ByteBuffer;

/**
 * The sending half of a stream: what is written, what is under way, and when the next segment may
 * leave.
 *
 * <pre>
 *    una             next              end       room
 *     | sent          | written         | FIN |
 *     | Scoreboard    |
 * </pre>
 */
final class SendHalf {
  static final long NEVER = Long.MAX_VALUE;

  /** Sends a segment with the acknowledgement and the window of the receiving half. */
  interface Transmit {
    void send(int sequence, int flags, int length);
  }

  private final StreamSettings settings;
  private final Transmit transmit;
  private final SendBuffer written;
  private final Rack rack = new Rack();
  private final Scoreboard scoreboard = new Scoreboard(rack);
  private final SendTimers timers = new SendTimers();
  private final RetransmissionTimeout timeout = timers.timeout();
  private final Recovery recovery = new Recovery();
  private final TailProbe tail = new TailProbe();
  private final SackBlocks blocks = new SackBlocks(scoreboard, rack, tail);
  private final DuplicateAcknowledgements duplicates =
      new DuplicateAcknowledgements(scoreboard, recovery);
  private final PeerWindow window = new PeerWindow();
  private Pacer pacer;
  private PathSize path;
  private int mss = StreamOffer.DEFAULT_MSS;
  private boolean sack;
  private int una;
  private int next;
  private boolean changed; // more is under way, or less, since the tail's time was set
  private boolean forced; // one segment may leave, whatever the window
  private boolean limited; // by the congestion window
  private long sentAt;
  private long paceAt = NEVER;

  /** Makes the half of a stream whose SYN has this sequence number. */
  SendHalf(StreamSettings settings, int initial, Transmit transmit) {
    this.settings = settings;
    this.transmit = transmit;
    una = initial;
    next = initial + 1;
    written = new SendBuffer(settings.sendBuffer(), next);
    agree(new StreamOffer(mss, StreamOffer.NO_SCALE, false), false, false);
  }

  /** Takes the options of the peer's SYN, of which those count that both ends have. */
  void agree(StreamOffer peer, boolean scaled, boolean sacks) {
    mss = Math.min(settings.mss(), peer.mss());
    window.scale(scaled ? peer.scale() : 0);
    sack = sacks;
    recovery.begin(mss);
    pacer = new Pacer(mss);
    path = new PathSize(mss);
  }

  /** The SYN is acknowledged. */
  void opened(int sequence, int peerWindow) {
    una = next;
    window.begin(sequence, una, peerWindow);
    endProbes();
  }

  private void endProbes() {
    if (window.size() > 0) {
      timers.endProbes();
    }
  }

  // ---- the program

  /** Takes bytes as far as there is room. Returns their number. */
  int write(ByteBuffer source) {
    return written.write(source, una);
  }

  int room() {
    return written.room(una);
  }

  /** Tells once whether a program that could not write all should try again. */
  boolean isWritableAgain() {
    return written.isWritableAgain(una);
  }

  void finish() {
    written.finish();
  }

  /**
   * The program has gone. A peer that answers probes and takes nothing counts as silent from now on
   * (RFC 6429 section 6), because nobody else would end the stream.
   */
  void orphan() {
    timers.orphan();
  }

  /** Tells whether the FIN is sent and acknowledged. */
  boolean isFinished() {
    return written.finishes() && una == written.last();
  }

  // ---- acknowledgements

  /** Tells whether an acknowledgement is of something that was sent. */
  boolean covers(int ack) {
    return !Sequence.isBefore(next, ack);
  }

  /** Takes the acknowledgement of a segment that is acceptable, and that {@link #covers} allows. */
  void acknowledged(Segment segment, long now) {
    int ack = segment.acknowledgement();
    boolean advances = Sequence.isBefore(una, ack);
    timers.heard(advances);
    boolean same = window.of(segment) == window.size() && segment.span() == 0 && ack == una;
    scoreboard.begin();
    if (advances) {
      una = ack;
      changed = true;
      path.acknowledged(una, now);
      scoreboard.acked(ack, now);
    }
    if (sack) {
      blocks.take(segment, una, next, now);
    }
    if (window.take(segment, una)) {
      endProbes();
    }
    long repaired = tail.acknowledged(ack);
    if (repaired >= 0) {
      recovery.lost(repaired, una, next);
    }
    measure(now);
    recovery.acknowledged(una);
    if (!sack && advances) {
      duplicates.advanced();
    } else if (!sack && same) {
      duplicates.repeated(una, next);
    }
    Cubic cubic = recovery.cubic();
    if (recovery.grows()) {
      cubic.acked(scoreboard.delivered(), now, timeout.smoothed(), limited);
    }
    pacer.set(cubic.window(), timeout.smoothed(), cubic.isSlowStart());
    if (advances) {
      timers.restart(!scoreboard.isEmpty(), now);
    }
  }

  private void measure(long now) {
    if (scoreboard.sample() >= 0) {
      timeout.sample(scoreboard.sample());
    }
    if (sack) {
      detect(now);
    }
  }

  private void detect(long now) {
    long newest = scoreboard.detect(recovery.isActive(), timeout.smoothed(), now);
    if (newest >= 0) {
      recovery.lost(newest, una, next);
    }
  }

  // ---- time

  /** Does all that is due. False if the peer is silent. */
  boolean due(long now) {
    if (sack && scoreboard.dueAt() <= now) {
      detect(now);
    }
    if (timers.isFrozen()) {
      return true;
    }
    if (tail.dueAt() <= now) {
      probeTail(now);
    }
    if (timers.isTimeoutDue(now)) {
      if (!timers.tryAgain()) {
        return false;
      }
      timedOut(now);
    }
    if (timers.isProbeDue(now)) {
      if (!timers.tryAgain()) {
        return false;
      }
      transmit.send(una - 1, TcpFlags.ACK, 0); // outside of the window, so it is answered
      timeout.backOff();
      timers.probe(now);
    }
    return true;
  }

  private void timedOut(long now) {
    timers.restart(false, now);
    if (scoreboard.isEmpty()) {
      return;
    }
    recovery.timedOut(scoreboard.firstSent(), una, next);
    path.timedOut(scoreboard.firstLength(), now);
    tail.stop();
    scoreboard.loseAll();
    timeout.backOff();
    duplicates.forget();
    forced = true;
    timers.restart(true, now);
  }

  /** Sends a new segment, or the last one again, so that the peer tells what it has. */
  private void probeTail(long now) {
    tail.disarm();
    if (!isTailOpen()) {
      return;
    }
    int from = next;
    if (hasNew() && sendNew(now)) {
      tail.sent(from, next, false, now);
    } else {
      int last = scoreboard.repeatLast(now);
      tail.sent(scoreboard.start(last), next, true, now);
      resend(last, now);
    }
    timers.restart(true, now);
  }

  /** Tells whether nothing but a probe could find the loss of the last segment. */
  private boolean isTailOpen() {
    boolean whole = scoreboard.arrived() == 0 && scoreboard.lost() == 0 && !scoreboard.isEmpty();
    return sack && whole && timeout.isMeasured() && !recovery.isActive();
  }

  private void armTail(long now) {
    changed = paceAt != NEVER;
    if (isTailOpen() && paceAt == NEVER) {
      tail.arm(now, timeout.smoothed(), scoreboard.flying() < 2L * mss, timers.timeoutAt());
    } else {
      tail.disarm();
    }
  }

  /** Returns the time at which something is due. */
  long dueAt() {
    long repeats = timers.isFrozen() ? NEVER : Math.min(timers.dueAt(), tail.dueAt());
    return Math.min(repeats, Math.min(paceAt, sack ? scoreboard.dueAt() : NEVER));
  }

  /** Stops the timer of retransmissions. */
  void freeze() {
    timers.freeze();
  }

  /**
   * The path is another. The first segment leaves at once, and tells by its acknowledgement which
   * others are lost. Losses of the old path have not reduced the window.
   */
  void moved(long now) {
    recovery.moved(now);
    path.moved(now);
    tail.stop();
    duplicates.forget();
    rack.moved();
    scoreboard.loseFirst();
    forced = !scoreboard.isEmpty();
    timers.moved(!scoreboard.isEmpty(), now);
  }

  // ---- sending

  /** Sends what may leave now: lost segments first, then new ones. */
  void push(long now) {
    paceAt = NEVER;
    limited = false;
    for (boolean more = true; more; ) {
      int again = scoreboard.nextLost();
      more = again >= 0 || hasNew();
      if (!more) {
        break;
      }
      if (!forced && pipe() >= recovery.cubic().window()) {
        limited = true;
        break;
      }
      if (!forced && !pacer.allows(now)) {
        paceAt = Math.max(now + 1, pacer.allowsAt());
        limited = pipe() * 2 >= recovery.cubic().window();
        break;
      }
      forced = false;
      more = again >= 0 ? sendAgain(again, now) : sendNew(now);
    }
    forced = false;
    if (!scoreboard.isEmpty()) {
      timers.start(now);
    }
    if (changed) {
      armTail(now);
    }
  }

  /** Returns the bytes that are under way, as far as the peer's acknowledgements tell. */
  private long pipe() {
    return scoreboard.flying() - (sack ? 0 : (long) duplicates.count() * mss);
  }

  private boolean hasNew() {
    return next != written.last();
  }

  private boolean sendAgain(int lost, long now) {
    int at = lost;
    if (payload(at) > path.size()) {
      at = scoreboard.cut(at, path.size());
      path.lost(now);
    }
    scoreboard.sentAgain(at, now);
    resend(at, now);
    return true;
  }

  /** Returns the bytes of a segment of the scoreboard, without a FIN. */
  private int payload(int at) {
    int to = scoreboard.end(at);
    return to - scoreboard.start(at) - (to == written.end() + 1 ? 1 : 0);
  }

  private void resend(int at, long now) {
    send(scoreboard.start(at), payload(at), scoreboard.end(at) == written.end() + 1, now);
  }

  private boolean sendNew(long now) {
    int usable = una + window.size() - next;
    int left = written.end() - next;
    int most = path.next(Math.min(left, usable), now);
    int count = Math.min(most, Math.min(left, usable));
    boolean fin = written.finishes() && count == left && usable > count;
    if (count <= 0 && !fin) {
      if (scoreboard.isEmpty()) {
        timers.startProbes(now);
      }
      return false;
    }
    boolean small = count < Math.min(most, left) && count < window.largest() / 2;
    if (scoreboard.isFull() || (small && !scoreboard.isEmpty())) {
      return false;
    }
    if (scoreboard.isEmpty() && now - sentAt > timeout.timeout()) {
      recovery.cubic().idle();
    }
    changed = true;
    int span = count + (fin ? 1 : 0);
    scoreboard.sent(next, next + span, now);
    int from = next;
    next += span;
    if (count > path.size()) {
      path.tried(next);
    }
    send(from, count, fin, now);
    return true;
  }

  private void send(int from, int count, boolean fin, long now) {
    int flags = TcpFlags.ACK | (fin ? TcpFlags.FIN : 0);
    flags |= count > 0 && from + count == written.end() ? TcpFlags.PSH : 0;
    sentAt = now;
    pacer.sent(count + Segment.HEADER);
    transmit.send(from, flags, count);
  }

  // ---- views

  /** Returns the sequence number of a segment without data. */
  int next() {
    return next;
  }

  ByteRing bytes() {
    return written.bytes();
  }

  /** Returns the bytes of payload for which the path has room. */
  int pathSize() {
    return path.size();
  }

  /** Returns the congestion window in bytes. */
  long congestionWindow() {
    return recovery.cubic().window();
  }

  /** Returns the smoothed round trip in milliseconds. */
  long roundTrip() {
    return timeout.smoothed();
  }

  /** Returns bytes that are written and not acknowledged. */
  int unacknowledged() {
    return written.end() - una;
  }

  boolean sack() {
    return sack;
  }

  /** Gives the memory back. Nothing is sent any more. */
  void release() {
    written.release(next);
    scoreboard.clear();
    timers.stop();
    paceAt = NEVER;
    tail.stop();
  }
}
