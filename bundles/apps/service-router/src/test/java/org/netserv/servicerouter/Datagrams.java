// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter;

import java.nio.ByteBuffer;
import java.util.List;
import org.netserv.serval.Control;
import org.netserv.serval.ControlMessage;
import org.netserv.serval.Endpoint;
import org.netserv.serval.HopList;
import org.netserv.serval.Registration;
import org.netserv.serval.SalChecksum;
import org.netserv.serval.SalPacket;
import org.netserv.serval.SalWriter;
import org.netserv.serval.Service;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.TicketList;

/** Datagrams of clients and hosts. */
public final class Datagrams {
  public static final ServiceId ROUTER = ServiceId.parse("00015b38");
  public static final ServiceId SHOP = ServiceId.parse("00004001");
  private static final ServiceId HOST = ServiceId.parse("0000d903");
  private static final int ROOM = 2048;
  private static final int UDP_HEADER = 8;

  private Datagrams() {}

  /** Returns the SYN of a flow, with these hops if there are any. */
  public static ByteBuffer syn(ServiceId id, int flow, Endpoint... hops) {
    SalWriter writer = begin(flow, 0);
    Control.put(writer, new ControlMessage(flow, 0, 0x80, 0, 5, 0, 77));
    Service.put(writer, id);
    return whole(writer, hops, new byte[0]);
  }

  /** Returns a SYN that asks for its answer by the routers, which have given these tickets. */
  public static ByteBuffer asking(ServiceId id, int flow, List<Long> tickets, Endpoint... hops) {
    SalWriter writer = begin(flow, 0);
    Control.put(writer, new ControlMessage(flow, 0, 0x80, 0, 5, 0, 77));
    Service.put(writer, id);
    TicketList.put(writer, tickets);
    return whole(writer, hops, new byte[0]);
  }

  /** Returns a SYN-ACK with these tickets and a payload. */
  public static ByteBuffer answer(
      int flow, int ackno, List<Long> tickets, List<Endpoint> hops, int payload) {
    SalWriter writer = begin(9, flow);
    Control.put(writer, new ControlMessage(9, flow, 0xa0, 5, 1, ackno, 88));
    TicketList.put(writer, tickets);
    return whole(writer, hops.toArray(Endpoint[]::new), new byte[payload]);
  }

  /** Returns a control message of a flow. */
  public static ByteBuffer control(int from, int to, int flags) {
    SalWriter writer = begin(from, to);
    Control.put(writer, new ControlMessage(from, to, flags, 0, 5, 0, 77));
    Service.put(writer, SHOP);
    return whole(writer, new Endpoint[0], new byte[0]);
  }

  /** Returns an unconnected datagram. */
  public static ByteBuffer datagram(ServiceId id, byte[] payload, Endpoint... hops) {
    SalWriter writer = begin(0, 0);
    Service.put(writer, id);
    Service.put(writer, HOST);
    return whole(writer, hops, payload);
  }

  /** Returns the registration of a prefix, or its end. */
  public static ByteBuffer registration(boolean withdraws, ServicePrefix prefix) {
    ByteBuffer message = ByteBuffer.allocate(Registration.LENGTH);
    new Registration(withdraws, 1, false, prefix, 0).put(message, 0);
    return datagram(ROUTER, message.array());
  }

  public static ServicePrefix prefix(String digits) {
    return new ServicePrefix(ServiceId.parse(digits), 4 * digits.length());
  }

  private static SalWriter begin(int from, int to) {
    return new SalWriter().begin(ByteBuffer.allocate(ROOM), 0, ROOM, from, to, SalPacket.UDP);
  }

  private static ByteBuffer whole(SalWriter writer, Endpoint[] hops, byte[] payload) {
    if (hops.length > 0) {
      HopList.put(writer, List.of(hops));
    }
    if (!writer.finish().fits()) {
      throw new IllegalStateException("does not fit");
    }
    return udp(writer, payload);
  }

  /** Adds a UDP header and its payload, with the checksum of the flowIDs. */
  public static ByteBuffer udp(SalWriter writer, byte[] payload) {
    ByteBuffer bytes = writer.buffer();
    int at = writer.end();
    int end = at + UDP_HEADER + payload.length;
    bytes.putInt(at, 0);
    bytes.putShort(at + 4, (short) (UDP_HEADER + payload.length));
    bytes.putShort(at + 6, (short) 0);
    bytes.put(at + UDP_HEADER, payload);
    int from = bytes.getInt(writer.start());
    int to = bytes.getInt(writer.start() + 4);
    int sum = SalChecksum.ofFlow(bytes, at, end, SalPacket.UDP, from, to);
    bytes.putShort(at + 6, (short) sum);
    return bytes.limit(end);
  }
}
