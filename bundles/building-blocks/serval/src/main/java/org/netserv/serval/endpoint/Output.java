// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.nio.ByteBuffer;
import org.netserv.serval.ControlFlags;
import org.netserv.serval.Endpoint;
import org.netserv.serval.SalPacket;
import org.netserv.serval.SalWriter;
import org.netserv.serval.Service;
import org.netserv.serval.ServiceId;
import org.netserv.serval.flow.Flow;
import org.netserv.serval.flow.Outgoing;
import org.netserv.serval.stream.OutgoingSegment;

/**
 * Writes packets in the encapsulated form where the wire has room for them, and gives them to the
 * wire. Data allocate nothing.
 */
final class Output {
  private static final int LONGEST_HEADER = 255 * 4;

  private final Wire wire;
  private final int most;
  private final ByteBuffer own;
  private final SalWriter writer = new SalWriter();
  private ByteBuffer bytes;

  Output(Wire wire, int longest) {
    this.wire = wire;
    most = LONGEST_HEADER + OutgoingSegment.LONGEST_HEADER + longest;
    own = ByteBuffer.allocateDirect(most);
  }

  /** Begins a packet. Returns its index. */
  private int begin() {
    ByteBuffer room = wire.room(most);
    bytes = room == null ? own.clear() : room;
    return bytes.position();
  }

  /** Sends a message. A message of the handshake has an empty UDP header. */
  boolean control(Outgoing message, Endpoint to) {
    int at = begin();
    message.write(writer, bytes, at, at + most, SalPacket.UDP).finish();
    boolean handshake = message.message().has(ControlFlags.SYN) || message.service() != null;
    int source = message.message().sourceFlow();
    int destination = message.message().destinationFlow();
    return handshake
        ? send(source, destination, null, message.from(), to)
        : send(message.from(), to, writer.end());
  }

  /** Sends a message of a stream. A message of the handshake has a segment. */
  boolean control(Outgoing message, Endpoint to, OutgoingSegment segment) {
    int at = begin();
    message.write(writer, bytes, at, at + most, SalPacket.TCP).finish();
    int source = message.message().sourceFlow();
    int destination = message.message().destinationFlow();
    int stop =
        segment == null || !writer.fits()
            ? writer.end()
            : segment.write(bytes, writer.end(), source, destination);
    return send(message.from(), to, stop);
  }

  /** Sends a segment of a stream. */
  boolean segment(Flow flow, OutgoingSegment segment) {
    int at = begin();
    int source = flow.identity().flowId();
    writer.begin(bytes, at, at + most, source, flow.peerFlow(), SalPacket.TCP).finish();
    int stop = segment.write(bytes, writer.end(), source, flow.peerFlow());
    return send(flow.own(), flow.peer(), stop);
  }

  /** Sends a connected datagram. */
  boolean data(Flow flow, ByteBuffer payload) {
    int source = flow.identity().flowId();
    begin(source, flow.peerFlow()).finish();
    return send(source, flow.peerFlow(), payload, flow.own(), flow.peer());
  }

  /** Sends an unconnected datagram. */
  boolean datagram(
      int sourceFlow,
      ServiceId source,
      ServiceId target,
      ByteBuffer payload,
      Endpoint from,
      Endpoint to) {
    begin(sourceFlow, 0);
    Service.put(writer, target);
    Service.put(writer, source);
    writer.finish();
    return send(sourceFlow, 0, payload, from, to);
  }

  private SalWriter begin(int source, int destination) {
    int at = begin();
    return writer.begin(bytes, at, at + most, source, destination, SalPacket.UDP);
  }

  private boolean send(
      int source, int destination, ByteBuffer payload, Endpoint from, Endpoint to) {
    int udp = writer.end();
    int stop = udp + UdpHeader.LENGTH;
    if (payload != null) {
      int length = payload.remaining();
      bytes.put(stop, payload, payload.position(), length);
      stop += length;
    }
    UdpHeader.put(bytes, udp, stop, source, destination);
    return send(from, to, stop);
  }

  private boolean send(Endpoint from, Endpoint to, int stop) {
    return writer.fits() && wire.send(bytes.position(writer.start()).limit(stop), from, to);
  }
}
