// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

import java.nio.ByteBuffer;
import org.netserv.serval.flow.TransitionTable.Transition;
import org.netserv.serval.stream.StreamTransitions.Action;
import org.netserv.serval.stream.StreamTransitions.Event;
import org.netserv.serval.stream.StreamTransitions.State;

/**
 * One end of a stream: TCP (RFC 9293) inside a flow of SAL, without I/O. SYN, SYN-ACK and the third
 * message ride in SAL's, which sends them again. SAL finds the stream, closes and moves the flow.
 *
 * <p>Time is a number of milliseconds that the caller gives, from any zero. No call but {@link
 * #due} sends, so the acknowledgement of many segments is one. A caller asks {@link #dueAt} after
 * each call.
 */
public final class Connection {
  private static final long NEVER = Long.MAX_VALUE;

  /** Milliseconds for which FIN_WAIT_2 lasts when the program has closed. */
  static final long WAIT = 60_000;

  private static final int COOKIE_BITS = 8;

  private final StreamSettings settings;
  private final ConnectionPort port;
  private final SendHalf sending;
  private final ReceiveHalf receiving;
  private final OutgoingSegment out = new OutgoingSegment();
  private final int initial;
  private StreamOffer offer; // of this end's SYN or SYN-ACK
  private int peerInitial;
  private int peerWindow; // of the peer's SYN
  private State state;
  private boolean discards; // the program has closed, and reads no more
  private boolean pushes; // something may leave that could not before
  private long waitUntil = NEVER;
  private long unexpected;

  private Connection(StreamSettings settings, ConnectionPort port, int initial, State state) {
    this.settings = settings;
    this.port = port;
    this.initial = initial;
    this.state = state;
    sending = new SendHalf(settings, initial, this::transmit);
    receiving = new ReceiveHalf(settings);
  }

  /**
   * Makes the connection of a client.
   *
   * @param initial sequence number, at random
   */
  public static Connection client(StreamSettings settings, ConnectionPort port, int initial) {
    Connection made = new Connection(settings, port, initial, State.SYN_SENT);
    made.offer = new StreamOffer(settings.mss(), settings.scale(), true);
    return made;
  }

  /**
   * Makes the connection of a server for a SYN.
   *
   * @param initial sequence number, at random
   */
  public static Connection server(
      StreamSettings settings, ConnectionPort port, int initial, Segment syn) {
    Connection made = new Connection(settings, port, initial, State.SYN_RECEIVED);
    made.agree(syn.sequence(), syn.offer(), syn.window());
    return made;
  }

  /**
   * Makes the connection of a server for the acknowledgement of {@link #answer}. Sequence numbers
   * and options are in it.
   */
  public static Connection proven(StreamSettings settings, ConnectionPort port, Segment ack) {
    int initial = ack.acknowledgement() - 1;
    Connection made = new Connection(settings, port, initial, State.SYN_RECEIVED);
    made.agree(ack.sequence() - 1, StreamOffer.of(initial & 0xff), 0);
    return made;
  }

  /**
   * Fills in the SYN-ACK of a server that keeps no state for a SYN. Its sequence number has the
   * client's options in the last eight bits.
   *
   * @param number that nobody else can guess, and that {@link #isProven} gets again
   */
  public static OutgoingSegment answer(StreamSettings settings, int number, Segment syn) {
    StreamOffer own = offer(settings, syn.offer());
    int initial = (number << COOKIE_BITS) | syn.offer().code();
    int window = Math.min(settings.receiveBuffer(), 0xffff);
    return new OutgoingSegment()
        .begin(initial, syn.sequence() + 1, TcpFlags.SYN | TcpFlags.ACK, window)
        .offer(own);
  }

  /** Tells whether the peer has acknowledged an answer with this number. */
  public boolean isProven(int number) {
    return initial >>> COOKIE_BITS == (number << COOKIE_BITS) >>> COOKIE_BITS;
  }

  /** A server shows SACK and scale if the client has shown the same. */
  private static StreamOffer offer(StreamSettings settings, StreamOffer peer) {
    boolean scaled = peer.scale() != StreamOffer.NO_SCALE;
    return new StreamOffer(
        settings.mss(), scaled ? settings.scale() : StreamOffer.NO_SCALE, peer.sack());
  }

  private void agree(int peerSequence, StreamOffer peer, int window) {
    offer = offer == null ? offer(settings, peer) : offer;
    boolean scaled = peer.scale() != StreamOffer.NO_SCALE && offer.scale() != StreamOffer.NO_SCALE;
    boolean sack = peer.sack() && offer.sack();
    peerInitial = peerSequence;
    peerWindow = window;
    sending.agree(peer, scaled, sack);
    int mss = Math.min(settings.mss(), peer.mss());
    receiving.agree(peerSequence, scaled ? offer.scale() : 0, mss, sack);
  }

  // ---- the program

  /** Takes bytes as far as there is room. Returns their number, 0 if the stream takes none. */
  public int write(ByteBuffer source) {
    int count = StreamTransitions.WRITES.contains(state) ? sending.write(source) : 0;
    pushes |= count > 0;
    return count;
  }

  /** Returns the bytes that {@link #write} would take now. */
  public int room() {
    return StreamTransitions.WRITES.contains(state) ? sending.room() : 0;
  }

  /** Moves bytes to a buffer. Returns their number, or -1 at the end of the peer's data. */
  public int read(ByteBuffer target) {
    int count = receiving.read(target);
    boolean ends = count == 0 && isEnded();
    return ends && target.hasRemaining() ? -1 : count;
  }

  /** Returns the bytes that {@link #read} would move. */
  public int readable() {
    return receiving.readable();
  }

  /** Tells whether all of the peer's data are read, or no more can come. */
  public boolean isEnded() {
    return receiving.readable() == 0 && (receiving.isFinished() || state == State.OVER);
  }

  /** Ends the data of this end. The peer may go on. */
  public void finish(long now) {
    fire(Event.CLOSE, now);
  }

  /** Ends the data of this end, and reads no more. Data that nobody reads break the stream off. */
  public void close(long now) {
    discards = true;
    sending.orphan();
    if (receiving.readable() > 0 && !isClosed()) {
      fire(Event.ABORT, now);
    } else {
      fire(Event.CLOSE, now);
      waitForPeer(now);
    }
    receiving.release();
  }

  /** Breaks off. */
  public void abort(long now) {
    fire(Event.ABORT, now);
  }

  // ---- SAL

  /**
   * Returns the SYN or SYN-ACK, or the acknowledgement of the last one, for SAL's message. Each
   * time the acknowledgement has the first sequence number, whatever has been sent since. A server
   * without state takes it for the beginning of the stream.
   */
  public OutgoingSegment handshake() {
    return switch (state) {
      case SYN_SENT -> out.begin(initial, 0, TcpFlags.SYN, receiving.initialWindow()).offer(offer);
      case SYN_RECEIVED ->
          out.begin(
                  initial, peerInitial + 1, TcpFlags.SYN | TcpFlags.ACK, receiving.initialWindow())
              .offer(offer);
      default -> out.begin(initial + 1, peerInitial + 1, TcpFlags.ACK, receiving.window());
    };
  }

  /** Tells whether a segment is the SYN-ACK for the SYN of this client. */
  public boolean isAnswer(Segment segment) {
    return segment.has(TcpFlags.SYN)
        && segment.has(TcpFlags.ACK)
        && !segment.has(TcpFlags.RST)
        && segment.acknowledgement() == initial + 1;
  }

  /** Tells whether a segment is a SYN, and nothing else. */
  public static boolean isSyn(Segment segment) {
    return segment.has(TcpFlags.SYN)
        && !segment.has(TcpFlags.ACK)
        && !segment.has(TcpFlags.RST)
        && !segment.has(TcpFlags.FIN);
  }

  /** Tells whether a segment is an acknowledgement that can end a handshake. */
  public static boolean isAcknowledgement(Segment segment) {
    return segment.has(TcpFlags.ACK) && !segment.has(TcpFlags.SYN) && !segment.has(TcpFlags.RST);
  }

  /** Takes the SYN-ACK, before SAL's acknowledgement leaves. A second one changes nothing. */
  public void answered(Segment synAck, long now) {
    if (state == State.SYN_SENT) {
      agree(synAck.sequence(), synAck.offer(), synAck.window());
      opened(now);
    }
  }

  /** SAL's handshake is over. */
  public void opened(long now) {
    if (state == State.SYN_SENT || state == State.SYN_RECEIVED) {
      sending.opened(peerInitial, peerWindow);
      pushes = true;
      fire(Event.OPENED, now);
    }
  }

  /** SAL's FIN has come. */
  public void flowClosed(long now) {
    fire(Event.FLOW_FIN, now);
  }

  /** SAL's RST has come. */
  public void flowReset(long now) {
    fire(Event.RESET, now);
  }

  /** SAL has no answer of the peer. */
  public void flowSilent(long now) {
    fire(Event.TRIES_OVER, now);
  }

  /** SAL has forgotten the flow. */
  public void forgotten(long now) {
    fire(Event.FORGOTTEN, now);
  }

  /** The peer has another address, and has to confirm it. */
  public void freeze() {
    sending.freeze();
  }

  /** One end has another address, and segments take the new path from now on. */
  public void moved(long now) {
    if (StreamTransitions.OPEN.contains(state) && state != State.SYN_RECEIVED) {
      sending.moved(now);
      receiving.demand();
      pushes = true;
    }
  }

  // ---- segments

  /** Takes a segment of the flow. */
  public StreamVerdict take(Segment segment, long now) {
    if (!StreamTransitions.OPEN.contains(state)) {
      return StreamVerdict.NOT_OPEN;
    }
    if (segment.has(TcpFlags.RST)) {
      return reset(segment, now);
    }
    if (!receiving.isAcceptable(segment)) {
      receiving.refused(segment, now);
      return receiving.isOld(segment) ? StreamVerdict.DUPLICATE : StreamVerdict.OUTSIDE;
    }
    if (segment.has(TcpFlags.SYN)) {
      receiving.refused(segment, now);
      return StreamVerdict.SYN;
    }
    if (!segment.has(TcpFlags.ACK)) {
      return StreamVerdict.NO_ACK;
    }
    if (!sending.covers(segment.acknowledgement())) {
      receiving.refused(segment, now);
      return StreamVerdict.WRONG_ACK;
    }
    acknowledgement(segment, now);
    return segment.span() == 0 ? StreamVerdict.TAKEN : data(segment, now);
  }

  /** A RST counts with the expected sequence number alone (RFC 5961 section 3.2). */
  private StreamVerdict reset(Segment segment, long now) {
    if (segment.sequence() == receiving.expected()) {
      fire(Event.RESET, now);
      return StreamVerdict.RESET;
    }
    if (receiving.isAcceptable(segment)) {
      receiving.refused(segment, now);
    }
    return StreamVerdict.WRONG_RESET;
  }

  private void acknowledgement(Segment segment, long now) {
    opened(now);
    boolean finished = sending.isFinished();
    sending.acknowledged(segment, now);
    pushes = true;
    if (!finished && sending.isFinished()) {
      fire(Event.FIN_ACKED, now);
    }
    if (StreamTransitions.WRITES.contains(state) && sending.isWritableAgain()) {
      port.writable();
    }
  }

  private StreamVerdict data(Segment segment, long now) {
    if (!StreamTransitions.RECEIVES.contains(state)) {
      receiving.refused(segment, now);
      return StreamVerdict.DUPLICATE;
    }
    if (discards && segment.length() > 0) {
      fire(Event.ABORT, now);
      return StreamVerdict.AFTER_CLOSE;
    }
    int before = receiving.readable();
    StreamVerdict verdict = receiving.take(segment, now);
    if (receiving.isFinished()) {
      fire(Event.FIN, now);
    } else if (receiving.readable() > before) {
      port.readable();
    }
    return verdict;
  }

  // ---- time

  /** Does all that is due, and sends what may leave. */
  public void due(long now) {
    if (waitUntil <= now) {
      fire(Event.LATE, now);
    }
    if (!sends()) {
      return;
    }
    if (!sending.due(now)) {
      fire(Event.TRIES_OVER, now);
      return;
    }
    pushes = false;
    if (receiving.tellsGaps()) {
      acknowledge();
    }
    sending.push(now);
    if (receiving.isDue(now)) {
      acknowledge();
    }
  }

  private boolean sends() {
    return StreamTransitions.OPEN.contains(state) && state != State.SYN_RECEIVED;
  }

  /** Returns the time at which something is due, {@code Long.MAX_VALUE} if nothing is. */
  public long dueAt() {
    if (!sends()) {
      return NEVER;
    }
    if (pushes || receiving.isDue()) {
      return Long.MIN_VALUE;
    }
    return Math.min(waitUntil, Math.min(sending.dueAt(), receiving.dueAt()));
  }

  private void transmit(int sequence, int flags, int length) {
    out.begin(sequence, receiving.expected(), flags, receiving.window());
    port.send(out.payload(sending.bytes(), length));
    if (!receiving.tellsGaps()) {
      receiving.acknowledged();
    }
  }

  private void acknowledge() {
    out.begin(sending.next(), receiving.expected(), TcpFlags.ACK, receiving.window());
    receiving.sack(out);
    receiving.acknowledged();
    port.send(out);
  }

  // ---- states

  private void fire(Event event, long now) {
    Transition<State, Action> transition = StreamTransitions.TABLE.of(state, event);
    if (state != transition.next()) {
      waitUntil = NEVER; // no other state answers LATE, so the stream would be due for ever
    }
    state = transition.next();
    for (Action action : transition.actions()) {
      act(action, now);
    }
  }

  private void act(Action action, long now) {
    switch (action) {
      case SEND_FIN -> {
        sending.finish();
        pushes = true;
      }
      case TELL_END -> port.readable();
      case CLOSE_FLOW -> port.closeFlow();
      case ABORT_FLOW -> port.abortFlow();
      case TELL_FINISHED -> port.finished();
      case TELL_RESET -> port.broken();
      case TELL_SILENT -> port.unanswered();
      case START_WAIT -> waitForPeer(now);
      case RELEASE -> {
        sending.release();
        receiving.release();
        waitUntil = NEVER;
      }
      case UNEXPECTED -> unexpected++;
    }
  }

  private void waitForPeer(long now) {
    boolean waits = discards && state == State.FIN_WAIT_2;
    waitUntil = waits ? now + WAIT : NEVER;
  }

  // ---- views

  private boolean isClosed() {
    return state == State.TIME_WAIT || state == State.CLOSED || state == State.OVER;
  }

  /** Returns the name of the state, for the operator. */
  public String state() {
    return state.name();
  }

  /** Returns the bytes of payload for which the path has room. */
  public int pathSize() {
    return sending.pathSize();
  }

  /** Returns the congestion window in bytes. */
  public long congestionWindow() {
    return sending.congestionWindow();
  }

  /** Returns the smoothed round trip in milliseconds. */
  public long roundTrip() {
    return sending.roundTrip();
  }

  /** Returns bytes that are written and not acknowledged. */
  public int unacknowledged() {
    return sending.unacknowledged();
  }

  /** Returns the bytes of memory in the buffers of both halves. */
  public int memory() {
    return sending.bytes().size() + receiving.size();
  }

  /** Returns the events that had no meaning in their state. */
  public long unexpected() {
    return unexpected;
  }

  SendHalf sending() {
    return sending;
  }

  ReceiveHalf receiving() {
    return receiving;
  }
}
