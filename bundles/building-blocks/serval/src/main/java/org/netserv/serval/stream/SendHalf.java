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
  /**
   * Timeouts without a segment of the peer, or without progress if the program has gone, after
   * which the peer counts as silent.
   */
  static final int TRIES = 15;

  static final long NEVER = Long.MAX_VALUE;
  private static final int DUPLICATES = 3;

  /** Sends a segment with the acknowledgement and the window of the receiving half. */
  interface Transmit {
    void send(int sequence, int flags, int length);
  }

  private final StreamSettings settings;
  private final Transmit transmit;
  private final ByteRing bytes = new ByteRing();
  private final Rack rack = new Rack();
  private final Scoreboard scoreboard = new Scoreboard(rack);
  private final RetransmissionTimeout timeout = new RetransmissionTimeout();
  private final Recovery recovery = new Recovery();
  private final TailProbe tail = new TailProbe();
  private final PeerWindow window = new PeerWindow();
  private Pacer pacer;
  private PathSize path;
  private int mss = StreamOffer.DEFAULT_MSS;
  private boolean sack;
  private int una;
  private int next;
  private int end; // behind the last byte that is written
  private boolean finishes; // a FIN is behind it
  private int duplicates;
  private boolean changed; // more is under way, or less, since the tail's time was set
  private boolean frozen;
  private boolean forced; // one segment may leave, whatever the window
  private boolean limited; // by the congestion window
  private boolean refused; // a write that did not fit
  private boolean orphaned; // no program waits for the end
  private int tries;
  private long sentAt;
  private long timeoutAt = NEVER;
  private long probeAt = NEVER;
  private long paceAt = NEVER;

  /** Makes the half of a stream whose SYN has this sequence number. */
  SendHalf(StreamSettings settings, int initial, Transmit transmit) {
    this.settings = settings;
    this.transmit = transmit;
    una = initial;
    next = initial + 1;
    end = next;
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

  /** Probes of a closed window end when it is open. */
  private void endProbes() {
    if (window.size() > 0 && probeAt != NEVER) {
      probeAt = NEVER;
      timeout.restart();
    }
  }

  // ---- the program

  /** Takes bytes as far as there is room. Returns their number. */
  int write(ByteBuffer source) {
    int count = Math.min(room(), source.remaining());
    refused |= count < source.remaining();
    if (count > 0) {
      bytes.reserve(una, end - una + count);
      bytes.put(end, source, source.position(), count);
      source.position(source.position() + count);
      end += count;
    }
    return count;
  }

  int room() {
    return settings.sendBuffer() - (end - una);
  }

  /** Tells once whether a program that could not write all should try again. */
  boolean isWritableAgain() {
    boolean again = refused && room() >= settings.sendBuffer() / 4;
    refused &= !again;
    return again;
  }

  void finish() {
    finishes = true;
  }

  /**
   * The program has gone. A peer that answers probes and takes nothing counts as silent from now on
   * (RFC 6429 section 6), because nobody else would end the stream.
   */
  void orphan() {
    orphaned = true;
  }

  /** Tells whether the FIN is sent and acknowledged. */
  boolean isFinished() {
    return finishes && una == end + 1;
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
    tries = advances || !orphaned ? 0 : tries;
    boolean same = window.of(segment) == window.size() && segment.span() == 0 && ack == una;
    scoreboard.begin();
    if (advances) {
      una = ack;
      changed = true;
      path.acknowledged(una, now);
      scoreboard.acked(ack, now);
    }
    if (sack) {
      sacked(segment, now);
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
    if (!sack) {
      withoutSack(advances, same);
    }
    Cubic cubic = recovery.cubic();
    if (recovery.grows()) {
      cubic.acked(scoreboard.delivered(), now, timeout.smoothed(), limited);
    }
    pacer.set(cubic.window(), timeout.smoothed(), cubic.isSlowStart());
    if (advances) {
      timeoutAt = scoreboard.isEmpty() ? NEVER : now + timeout.timeout();
    }
  }

  private void sacked(Segment segment, long now) {
    for (int i = 0; i < segment.blocks(); i++) {
      int left = segment.left(i);
      int right = segment.right(i);
      boolean sound = Sequence.isBefore(left, right) && !Sequence.isBefore(next, right);
      boolean below = !Sequence.isBefore(segment.acknowledgement(), right);
      boolean inside = i == 0 && segment.blocks() > 1 && isInside(left, right, segment);
      if (sound && (below || inside)) {
        if (i == 0) {
          copied(left);
        }
      } else if (sound && !Sequence.isBefore(left, una)) {
        scoreboard.sacked(left, right, now);
      }
    }
    if (scoreboard.isReneged()) {
      scoreboard.forget();
    }
  }

  /** The peer has got a segment twice. A probe that was not needed tells nothing of the path. */
  private void copied(int left) {
    if (tail.isCopy(left)) {
      tail.copied();
    } else {
      rack.duplicated();
    }
  }

  /** Tells whether the first block repeats a part of the second one (RFC 2883 section 4.1). */
  private static boolean isInside(int left, int right, Segment segment) {
    return !Sequence.isBefore(left, segment.left(1)) && !Sequence.isBefore(segment.right(1), right);
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

  /** Finds losses by acknowledgements that repeat themselves (RFC 6582). */
  private void withoutSack(boolean advances, boolean same) {
    if (advances) {
      duplicates = 0;
      if (recovery.isActive()) {
        scoreboard.loseFirst(); // a partial acknowledgement
      }
    } else if (same
        && !scoreboard.isEmpty()
        && ++duplicates == DUPLICATES
        && !recovery.isActive()) {
      long sent = scoreboard.firstSent();
      scoreboard.loseFirst();
      recovery.lost(sent, una, next);
    }
  }

  // ---- time

  /** Does all that is due. False if the peer is silent. */
  boolean due(long now) {
    if (sack && scoreboard.dueAt() <= now) {
      detect(now);
    }
    if (frozen) {
      return true;
    }
    if (tail.dueAt() <= now) {
      probeTail(now);
    }
    if (timeoutAt <= now) {
      if (++tries > TRIES) {
        return false;
      }
      timedOut(now);
    }
    if (probeAt <= now) {
      if (++tries > TRIES) {
        return false;
      }
      transmit.send(una - 1, TcpFlags.ACK, 0); // outside of the window, so it is answered
      timeout.backOff();
      probeAt = now + timeout.timeout();
    }
    return true;
  }

  private void timedOut(long now) {
    timeoutAt = NEVER;
    if (scoreboard.isEmpty()) {
      return;
    }
    recovery.timedOut(scoreboard.firstSent(), una, next);
    path.timedOut(scoreboard.firstLength(), now);
    tail.stop();
    scoreboard.loseAll();
    timeout.backOff();
    duplicates = 0;
    forced = true;
    timeoutAt = now + timeout.timeout();
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
    timeoutAt = now + timeout.timeout();
  }

  /** Tells whether nothing but a probe could find the loss of the last segment. */
  private boolean isTailOpen() {
    boolean whole = scoreboard.arrived() == 0 && scoreboard.lost() == 0 && !scoreboard.isEmpty();
    return sack && whole && timeout.isMeasured() && !recovery.isActive();
  }

  private void armTail(long now) {
    changed = paceAt != NEVER;
    if (isTailOpen() && paceAt == NEVER) {
      tail.arm(now, timeout.smoothed(), scoreboard.flying() < 2L * mss, timeoutAt);
    } else {
      tail.disarm();
    }
  }

  /** Returns the time at which something is due. */
  long dueAt() {
    long timers = frozen ? NEVER : Math.min(Math.min(timeoutAt, tail.dueAt()), probeAt);
    return Math.min(timers, Math.min(paceAt, sack ? scoreboard.dueAt() : NEVER));
  }

  /** Stops the timer of retransmissions. */
  void freeze() {
    frozen = true;
  }

  /**
   * The path is another. The first segment leaves at once, and tells by its acknowledgement which
   * others are lost. Losses of the old path have not reduced the window.
   */
  void moved(long now) {
    frozen = false;
    recovery.moved(now);
    path.moved(now);
    tail.stop();
    tries = 0;
    duplicates = 0;
    timeout.restart();
    rack.moved();
    scoreboard.loseFirst();
    forced = !scoreboard.isEmpty();
    timeoutAt = scoreboard.isEmpty() ? NEVER : now + timeout.timeout();
    probeAt = probeAt == NEVER ? NEVER : now;
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
    if (!scoreboard.isEmpty() && timeoutAt == NEVER) {
      timeoutAt = now + timeout.timeout();
    }
    if (changed) {
      armTail(now);
    }
  }

  /** Returns the bytes that are under way, as far as the peer's acknowledgements tell. */
  private long pipe() {
    return scoreboard.flying() - (sack ? 0 : (long) duplicates * mss);
  }

  private boolean hasNew() {
    return next != end + (finishes ? 1 : 0);
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
    return to - scoreboard.start(at) - (to == end + 1 ? 1 : 0);
  }

  private void resend(int at, long now) {
    send(scoreboard.start(at), payload(at), scoreboard.end(at) == end + 1, now);
  }

  private boolean sendNew(long now) {
    int usable = una + window.size() - next;
    int left = end - next;
    int most = path.next(Math.min(left, usable), now);
    int count = Math.min(most, Math.min(left, usable));
    boolean fin = finishes && count == left && usable > count;
    if (count <= 0 && !fin) {
      if (scoreboard.isEmpty() && probeAt == NEVER) {
        probeAt = now + timeout.timeout();
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
    flags |= count > 0 && from + count == end ? TcpFlags.PSH : 0;
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
    return bytes;
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
    return end - una;
  }

  boolean sack() {
    return sack;
  }

  /** Gives the memory back. Nothing is sent any more. */
  void release() {
    bytes.release();
    scoreboard.clear();
    end = next;
    timeoutAt = NEVER;
    probeAt = NEVER;
    paceAt = NEVER;
    tail.stop();
  }
}
