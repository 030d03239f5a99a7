// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.sim;

import java.net.InetAddress;
import org.netserv.gist.port.OutboundDatagram;

/** A UDP datagram on its way. */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record SimPacket(
    InetAddress source,
    int sourcePort,
    InetAddress destination,
    int destinationPort,
    int ttl,
    int trafficClass,
    int flowLabel,
    int routerAlert,
    byte[] payload) {
  static SimPacket of(OutboundDatagram datagram, InetAddress kernelsChoice) {
    return new SimPacket(
        datagram.source() == null ? kernelsChoice : datagram.source(),
        datagram.sourcePort() == 0 ? 270 : datagram.sourcePort(),
        datagram.destination(),
        datagram.destinationPort(),
        datagram.ttl(),
        datagram.trafficClass(),
        datagram.flowLabel(),
        datagram.routerAlert(),
        datagram.payload());
  }

  SimPacket hop() {
    return with(source, sourcePort, destination, destinationPort, ttl - 1, payload);
  }

  SimPacket payload(byte[] other) {
    return with(source, sourcePort, destination, destinationPort, ttl, other);
  }

  SimPacket from(InetAddress address, int port) {
    return with(address, port, destination, destinationPort, ttl, payload);
  }

  SimPacket to(InetAddress address, int port) {
    return with(source, sourcePort, address, port, ttl, payload);
  }

  private SimPacket with(
      InetAddress from, int fromPort, InetAddress to, int toPort, int left, byte[] bytes) {
    return new SimPacket(
        from, fromPort, to, toPort, left, trafficClass, flowLabel, routerAlert, bytes);
  }
}
