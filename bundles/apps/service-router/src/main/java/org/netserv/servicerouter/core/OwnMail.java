// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import java.nio.ByteBuffer;
import org.netserv.packet.Tally;
import org.netserv.serval.Endpoint;
import org.netserv.serval.SalPacket;
import org.netserv.serval.SalWriter;
import org.netserv.serval.Service;
import org.netserv.serval.ServiceId;
import org.netserv.serval.endpoint.UdpHeader;

/** The unconnected datagrams that a router itself sends, with its own serviceID as source. */
final class OwnMail {
  private static final int TTL = 64;

  /** The address of a datagram that leaves by the system's choice. */
  private static final Endpoint ANY = new Endpoint(0, 0, 0);

  private final ServiceId own;
  private final Output output;
  private final Tally<Outcome> tally;
  private final SalWriter writer = new SalWriter();

  OwnMail(ServiceId own, Output output, Tally<Outcome> tally) {
    this.own = own;
    this.output = output;
    this.tally = tally;
  }

  /** Sends a payload of its own accord. */
  void send(ServiceId to, Endpoint host, ByteBuffer payload) {
    send(to, host, ANY, 0, payload);
  }

  /**
   * Sends a payload, the whole capacity of a buffer.
   *
   * @param local the address to which the question came
   * @param flow the source flowID of the question, or 0
   */
  void send(ServiceId to, Endpoint host, Endpoint local, int flow, ByteBuffer payload) {
    ByteBuffer out = output.bytes();
    writer.begin(out, output.start(), output.end(), flow, 0, SalPacket.UDP);
    Service.put(writer, to);
    Service.put(writer, own);
    int stop = writer.finish().end() + UdpHeader.LENGTH + payload.capacity();
    if (!writer.fits() || stop > output.end()) {
      tally.count(Outcome.ROUTER_NO_ROOM);
      return;
    }
    out.put(writer.end() + UdpHeader.LENGTH, payload, 0, payload.capacity());
    UdpHeader.put(out, writer.end(), stop, flow, 0);
    output.send(stop - output.start(), host, local, TTL);
  }
}
