// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.netserv.serval.Ability;
import org.netserv.serval.Capability;
import org.netserv.serval.Control;
import org.netserv.serval.ControlFlags;
import org.netserv.serval.ControlMessage;
import org.netserv.serval.SalChecksum;
import org.netserv.serval.SalPacket;
import org.netserv.serval.SalWriter;
import org.netserv.serval.Service;
import org.netserv.serval.ServiceId;
import org.netserv.serval.Way;
import org.netserv.serval.endpoint.UdpHeader;

/** Packets of SAL with any numbers, and with sound checksums. */
final class ForgedPackets {
  private static final int ROOM = 1500;
  private static final int TCP = 20;
  private static final int TCP_SYN = 2;
  private static final int TCP_SYN_ACK = 18;
  private static final int TCP_ACK = 16;
  private static final int WINDOW = 0xffff;

  private ForgedPackets() {}

  /** Returns a message without a transport. */
  static byte[] message(ControlMessage message) {
    return bytes(control(message).finish(), 0);
  }

  /** Returns the SYN of a client, with TCP's SYN. */
  static byte[] syn(ControlMessage syn, ServiceId service, Way way) {
    SalWriter writer = control(syn);
    Service.put(writer, service);
    way.put(writer);
    return segment(writer.finish(), syn, syn.verno(), 0, TCP_SYN);
  }

  /** Returns a SYN-ACK, with TCP's SYN-ACK for this sequence number. */
  static byte[] synAck(ControlMessage message, int sequence, Way way) {
    SalWriter writer = control(message);
    way.put(writer);
    return segment(writer.finish(), message, message.verno(), sequence + 1, TCP_SYN_ACK);
  }

  /** Returns the third message of a handshake, with TCP's ACK. */
  static byte[] handshake(ControlMessage ack, ServiceId service) {
    SalWriter writer = control(ack);
    Service.put(writer, service);
    Capability.put(writer, Ability.EXTENSIONS.bit());
    return segment(writer.finish(), ack, ack.verno(), ack.ackno(), TCP_ACK);
  }

  /** Returns data of a flow: a segment of TCP with these bytes and a wrong sequence number. */
  static byte[] data(int source, int destination, int length) {
    byte[] segment = segment(source, destination, source * 31, TCP_ACK);
    return Arrays.copyOf(segment, segment.length + length);
  }

  /**
   * Returns a segment of a flow without data.
   *
   * @param flags of TCP
   */
  static byte[] segment(int source, int destination, int sequence, int flags) {
    SalWriter writer = new SalWriter();
    writer.begin(ByteBuffer.allocate(ROOM), 0, ROOM, source, destination, SalPacket.TCP).finish();
    ControlMessage flow = new ControlMessage(source, destination, 0, 0, 0, 0, 0);
    return segment(writer, flow, sequence, sequence * 31, flags);
  }

  /** Returns a datagram of a flow. */
  static byte[] flowDatagram(int source, int destination, int length) {
    SalWriter writer = new SalWriter();
    writer.begin(ByteBuffer.allocate(ROOM), 0, ROOM, source, destination, SalPacket.UDP).finish();
    int stop = writer.end() + UdpHeader.LENGTH + length;
    UdpHeader.put(writer.buffer(), writer.end(), stop, source, destination);
    return bytes(writer, stop - writer.end());
  }

  /** Returns a SYN with numbers that follow from one number. */
  static byte[] syn(int number, ServiceId service) {
    return syn(
        new ControlMessage(number, 0, ControlFlags.SYN, 0, number * 31, 0, number),
        service,
        Way.STRAIGHT);
  }

  /** Returns an unconnected datagram. */
  static byte[] datagram(ServiceId to, ServiceId from, byte[] payload, Way way) {
    SalWriter writer =
        new SalWriter().begin(ByteBuffer.allocate(ROOM), 0, ROOM, 0, 0, SalPacket.UDP);
    Service.put(writer, to);
    Service.put(writer, from);
    way.put(writer);
    int at = writer.finish().end();
    int stop = at + UdpHeader.LENGTH + payload.length;
    writer.buffer().put(at + UdpHeader.LENGTH, payload);
    UdpHeader.put(writer.buffer(), at, stop, 0, 0);
    return bytes(writer, stop - at);
  }

  /** Returns a packet of these extensions as they are, without a transport. */
  static byte[] packet(byte[]... extensions) {
    int length = SalPacket.HEADER;
    for (byte[] extension : extensions) {
      length += extension.length;
    }
    ByteBuffer bytes = ByteBuffer.allocate((length + 3) / 4 * 4);
    bytes.putInt(1).putInt(0).put((byte) (bytes.capacity() / 4)).put((byte) SalPacket.TCP);
    bytes.putShort((short) 0);
    for (byte[] extension : extensions) {
      bytes.put(extension);
    }
    return summed(bytes);
  }

  /** Returns a packet with one more extension. Its length is a multiple of 4. */
  static byte[] with(byte[] packet, byte[] extension) {
    int header = (packet[8] & 0xff) * 4;
    ByteBuffer bytes = ByteBuffer.allocate(packet.length + extension.length);
    bytes.put(packet, 0, header).put(extension);
    bytes.put(packet, header, packet.length - header);
    bytes.put(8, (byte) ((header + extension.length) / 4));
    return summed(bytes);
  }

  /** Returns a packet with the checksum of its header, if the whole header is there. */
  static byte[] summed(byte[] packet) {
    return packet.length < SalPacket.HEADER || (packet[8] & 0xff) * 4 > packet.length
        ? packet
        : summed(ByteBuffer.wrap(packet));
  }

  /** Writes the checksum of a whole header, and returns all bytes. */
  private static byte[] summed(ByteBuffer packet) {
    int header = (packet.get(8) & 0xff) * 4;
    packet.putShort(10, (short) 0);
    packet.putShort(10, (short) SalChecksum.of(packet, 0, header));
    byte[] all = new byte[packet.capacity()];
    packet.get(0, all);
    return all;
  }

  private static SalWriter control(ControlMessage message) {
    SalWriter writer = new SalWriter();
    writer.begin(
        ByteBuffer.allocate(ROOM),
        0,
        ROOM,
        message.sourceFlow(),
        message.destinationFlow(),
        SalPacket.TCP);
    Control.put(writer, message);
    return writer;
  }

  private static byte[] segment(
      SalWriter writer, ControlMessage of, int sequence, int acknowledgement, int flags) {
    ByteBuffer bytes = writer.buffer();
    int at = writer.end();
    bytes.putInt(at, 0).putInt(at + 4, sequence).putInt(at + 8, acknowledgement);
    bytes.putShort(at + 12, (short) (((TCP / 4) << 12) | flags)).putShort(at + 14, (short) WINDOW);
    bytes.putInt(at + 16, 0);
    int sum =
        SalChecksum.ofFlow(
            bytes, at, at + TCP, SalPacket.TCP, of.sourceFlow(), of.destinationFlow());
    bytes.putShort(at + 16, (short) sum);
    return bytes(writer, TCP);
  }

  private static byte[] bytes(SalWriter writer, int behind) {
    return Arrays.copyOf(writer.buffer().array(), writer.end() + behind);
  }
}
