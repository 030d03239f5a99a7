// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import org.netserv.serval.Registration;
import org.netserv.serval.SalPacket;
import org.netserv.serval.SalWriter;
import org.netserv.serval.Service;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.endpoint.UdpHeader;

/** A host's socket that registers services, sends datagrams to services, and receives some. */
final class ProbeSocket {
  private static final ServiceId ROUTER = ServiceId.parse("00015b38");
  private static final ServiceId HOST = ServiceId.parse("0000d903");
  private static final int ROOM = 2048;

  private final DatagramSocket socket;
  private final DatagramPacket received = new DatagramPacket(new byte[ROOM], ROOM);

  ProbeSocket(InetSocketAddress own) throws IOException {
    socket = new DatagramSocket(own);
  }

  /** Registers a service at a router, or withdraws it. */
  void register(InetSocketAddress router, ServiceId id, boolean withdraws) throws IOException {
    ByteBuffer message = ByteBuffer.allocate(Registration.LENGTH);
    new Registration(withdraws, 1, false, ServicePrefix.of(id), 0).put(message, 0);
    send(router, ROUTER, message.array());
  }

  /** Sends a datagram to a service, with the time. */
  void probe(InetSocketAddress router, ServiceId id) throws IOException {
    send(router, id, ByteBuffer.allocate(Long.BYTES).putLong(0, System.nanoTime()).array());
  }

  /**
   * Waits for a datagram.
   *
   * @return the time at which it was sent, {@code Long.MIN_VALUE} if none has come
   */
  long arrived(int millis) throws IOException {
    return receives(millis)
        ? ByteBuffer.wrap(received.getData()).getLong(received.getLength() - Long.BYTES)
        : Long.MIN_VALUE;
  }

  private boolean receives(int millis) throws IOException {
    socket.setSoTimeout(millis);
    try {
      socket.receive(received);
      return true;
    } catch (SocketTimeoutException e) {
      return false;
    }
  }

  private void send(InetSocketAddress to, ServiceId id, byte[] payload) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(ROOM);
    SalWriter writer = new SalWriter().begin(bytes, 0, ROOM, 0, 0, SalPacket.UDP);
    Service.put(writer, id);
    Service.put(writer, HOST);
    int at = writer.finish().end();
    int end = at + UdpHeader.LENGTH + payload.length;
    bytes.put(at + UdpHeader.LENGTH, payload);
    UdpHeader.put(bytes, at, end, 0, 0);
    socket.send(new DatagramPacket(bytes.array(), end, to));
  }
}
