// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.netserv.serval.Endpoint;
import org.netserv.serval.SalPacket;
import org.netserv.serval.ServalError;
import org.netserv.serval.TicketList;
import org.netserv.serval.Way;

/** Keeps all that a router sends. Each packet has to be sound. */
final class Sent implements Output {
  /**
   * A packet.
   *
   * @param hops its list
   */
  record Packet(ByteBuffer bytes, List<Endpoint> hops, Endpoint to, int ttl) {
    List<Long> tickets() {
      SalPacket packet = new SalPacket();
      packet.reset(bytes, 0, bytes.limit());
      return TicketList.get(packet);
    }
  }

  final List<Packet> packets = new ArrayList<>();
  private final ByteBuffer room;

  Sent(int size) {
    room = ByteBuffer.allocate(size);
  }

  @Override
  public ByteBuffer bytes() {
    return room;
  }

  @Override
  public int start() {
    return 0;
  }

  @Override
  public int end() {
    return room.capacity();
  }

  @Override
  public void send(int length, Endpoint to, Endpoint from, int ttl) {
    ByteBuffer copy = ByteBuffer.allocate(length).put(0, room, 0, length);
    SalPacket packet = new SalPacket();
    ServalError error = packet.reset(copy, 0, length);
    if (error != ServalError.OK) {
      throw new IllegalStateException(error.text());
    }
    packets.add(new Packet(copy, Way.get(packet).hops(), to, ttl));
  }
}
