// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.netserv.io.DatagramBatch;
import org.netserv.io.UdpSocket;
import org.netserv.mediarelay.core.Client;
import org.netserv.mediarelay.core.Transport;

/** A UDP port on which the relay serves clients. The packet thread's. */
final class ServerPort implements Client.Way {
  private final int port;
  private final UdpSocket socket;
  private final DatagramBatch single;

  /**
   * @param single a batch of one entry, for what is sent outside of the batches of data
   */
  ServerPort(int port, UdpSocket socket, DatagramBatch single) {
    this.port = port;
    this.socket = socket;
    this.single = single;
  }

  int port() {
    return port;
  }

  UdpSocket socket() {
    return socket;
  }

  Client client(long high, long low, int clientPort) {
    return new Client(Transport.UDP, high, low, clientPort, port, this);
  }

  @Override
  public boolean send(Client to, ByteBuffer bytes, int start, int length) {
    if (length > single.size()) {
      return false;
    }
    single.bytes().put(single.room(0), bytes, start, length);
    single.to(0, to.high(), to.low(), to.port());
    single.part(0, single.room(0), length);
    try {
      return socket.send(single, 0, 1) == 1 && single.error(0) == 0;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void close(Client client) {
    // A UDP client has no connection.
  }
}
