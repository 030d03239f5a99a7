// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.netserv.serval.Control;
import org.netserv.serval.ControlFlags;
import org.netserv.serval.Counts;
import org.netserv.serval.ExtensionType;
import org.netserv.serval.SalPacket;
import org.netserv.serval.flow.Outgoing;
import org.netserv.serval.stream.Connection;
import org.netserv.serval.stream.OutgoingSegment;
import org.netserv.serval.stream.Segment;
import org.netserv.serval.stream.SegmentFault;
import org.netserv.serval.stream.StreamSettings;
import org.netserv.serval.stream.StreamVerdict;

/**
 * The streams of an endpoint: the segment of the packet that it has now, and the time at which each
 * stream is due. Segments and times of a stream that is open allocate nothing.
 */
final class Streams implements ServalStream.Owner {
  private static final int NONCE_SHIFT = 32;

  private final ServalEndpoint endpoint;
  private final StreamSettings settings;
  private final Segment segment = new Segment();
  private final List<ServalStream> changed = new ArrayList<>();
  private final StreamTimes times = new StreamTimes();
  private final Counts<SegmentFault> faults = new Counts<>("segment", SegmentFault.class);
  private final Counts<StreamVerdict> verdicts = new Counts<>("stream", StreamVerdict.class);

  Streams(ServalEndpoint endpoint, StreamSettings settings) {
    this.endpoint = endpoint;
    this.settings = settings;
  }

  // ---- making

  /** Makes the connection of a client. */
  StreamEvents connect(ServalStream stream, int initial) {
    StreamEvents events = new StreamEvents(endpoint, stream, null);
    stream.begin(Connection.client(settings, events, initial));
    return events;
  }

  /** Makes the connection of a server for the segment of the packet: a SYN, or a proof of one. */
  StreamEvents open(ServalStream stream, Binding binding, int initial) {
    StreamEvents events = new StreamEvents(endpoint, stream, binding);
    stream.begin(
        Connection.isSyn(segment)
            ? Connection.server(settings, events, initial, segment)
            : Connection.proven(settings, events, segment));
    return events;
  }

  /** Returns the segment of a SYN-ACK for which nobody keeps state. */
  OutgoingSegment answer(Outgoing synAck) {
    return Connection.answer(settings, number(synAck.message().nonce()), segment);
  }

  /** Tells whether a stream that was opened by a proof has repeated the number of the answer. */
  static boolean isProven(ServalStream stream) {
    return stream.connection().isProven(number(stream.flow().identity().nonce()));
  }

  private static int number(long nonce) {
    return (int) (nonce >>> NONCE_SHIFT);
  }

  // ---- packets

  /**
   * Reads the segment of a packet, unless it is a message of SAL that has none.
   *
   * @param flow of the destination, null if there is none
   * @return the refusal, or null
   */
  EndpointVerdict check(SalPacket packet, NamedFlow flow) {
    boolean handshake = isHandshake(packet);
    boolean message = packet.has(ExtensionType.CONTROL);
    if (flow instanceof DatagramFlow || (packet.destinationFlow() == 0 && !message)) {
      return EndpointVerdict.PROTOCOL;
    }
    if (message && !handshake) {
      return null;
    }
    if (faults.count(segment.reset(packet)) != SegmentFault.OK) {
      return EndpointVerdict.SEGMENT;
    }
    return handshake && !suits(packet, (ServalStream) flow) ? EndpointVerdict.HANDSHAKE : null;
  }

  private static boolean isHandshake(SalPacket packet) {
    return ControlFlags.has(Control.flags(packet), ControlFlags.SYN) || isThird(packet);
  }

  /** Tells whether a message is the third one of a handshake. */
  static boolean isThird(SalPacket packet) {
    return Control.flags(packet) == ControlFlags.ACK && packet.has(ExtensionType.SERVICE);
  }

  /** Tells whether the segment of a handshake goes with its message. */
  private boolean suits(SalPacket packet, ServalStream stream) {
    int flags = Control.flags(packet);
    if (flags == ControlFlags.SYN) {
      return Connection.isSyn(segment);
    }
    if (ControlFlags.has(flags, ControlFlags.SYN)) {
      return stream == null || stream.connection().isAnswer(segment);
    }
    return Connection.isAcknowledgement(segment);
  }

  /** Gives the segment to its stream. */
  void take(ServalStream stream) {
    verdicts.count(stream.connection().take(segment, endpoint.now()));
    changed(stream);
  }

  Segment segment() {
    return segment;
  }

  // ---- time

  @Override
  public void act(ServalStream stream, LongConsumer call) {
    endpoint.enter();
    try {
      call.accept(endpoint.now());
      changed(stream);
    } finally {
      endpoint.leave();
    }
  }

  @Override
  public void changed(ServalStream stream) {
    if (!stream.isQueued()) {
      stream.queued(true);
      changed.add(stream);
    }
  }

  /** Does all that is due. A stream that is due later than before keeps its place in the order. */
  void due(long now) {
    for (int i = 0; i < changed.size(); i++) {
      ServalStream stream = changed.get(i);
      stream.queued(false);
      runIfDue(stream, now);
      long dueAt = stream.connection().dueAt();
      if (dueAt < stream.dueAt()) {
        times.set(stream, dueAt);
      }
    }
    changed.clear();
    while (times.dueAt() <= now) {
      ServalStream stream = times.first();
      runIfDue(stream, now);
      times.set(stream, stream.connection().dueAt());
    }
  }

  private static void runIfDue(ServalStream stream, long now) {
    if (stream.connection().dueAt() <= now) {
      stream.connection().due(now);
    }
  }

  long dueAt() {
    long dueAt = times.dueAt();
    for (int i = 0; i < changed.size(); i++) {
      dueAt = Math.min(dueAt, changed.get(i).connection().dueAt());
    }
    return dueAt;
  }

  Counts<SegmentFault> faults() {
    return faults;
  }

  Counts<StreamVerdict> verdicts() {
    return verdicts;
  }
}
