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

/** Writes packets in the encapsulated form, and gives them to the wire. Data allocate nothing. */
final class Output {
  private static final int LONGEST_HEADER = 255 * 4;

  private final Wire wire;
  private final ByteBuffer bytes;
  private final SalWriter writer = new SalWriter();

  Output(Wire wire, int longest) {
    this.wire = wire;
    bytes = ByteBuffer.allocateDirect(LONGEST_HEADER + OutgoingSegment.LONGEST_HEADER + longest);
  }

  /** Sends a message. Those of the handshake have an empty UDP header. */
  boolean control(Outgoing message, Endpoint to) {
    bytes.clear();
    message.write(writer, bytes, 0, bytes.capacity(), SalPacket.UDP).finish();
    boolean handshake = message.message().has(ControlFlags.SYN) || message.service() != null;
    int source = message.message().sourceFlow();
    int destination = message.message().destinationFlow();
    return handshake
        ? send(source, destination, null, message.from(), to)
        : send(message.from(), to, writer.end());
  }

  /** Sends a message of a stream. Those of the handshake have a segment. */
  boolean control(Outgoing message, Endpoint to, OutgoingSegment segment) {
    bytes.clear();
    message.write(writer, bytes, 0, bytes.capacity(), SalPacket.TCP).finish();
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
    bytes.clear();
    int source = flow.identity().flowId();
    writer.begin(bytes, 0, bytes.capacity(), source, flow.peerFlow(), SalPacket.TCP).finish();
    int stop = segment.write(bytes, writer.end(), source, flow.peerFlow());
    return send(flow.own(), flow.peer(), stop);
  }

  /** Sends a connected datagram. */
  boolean data(Flow flow, ByteBuffer payload) {
    bytes.clear();
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
    bytes.clear();
    begin(sourceFlow, 0);
    Service.put(writer, target);
    Service.put(writer, source);
    writer.finish();
    return send(sourceFlow, 0, payload, from, to);
  }

  private SalWriter begin(int source, int destination) {
    return writer.begin(bytes, 0, bytes.capacity(), source, destination, SalPacket.UDP);
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
    return writer.fits() && wire.send(bytes.position(0).limit(stop), from, to);
  }
}
