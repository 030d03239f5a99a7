// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.netserv.io.DatagramBatch;
import org.netserv.io.UdpSocket;
import org.netserv.packet.Tally;
import org.netserv.serval.Endpoint;
import org.netserv.servicerouter.core.Outcome;
import org.netserv.servicerouter.core.Output;

/**
 * The packets on their way out, one batch. It is sent when it is full, and by {@link #flush}. A
 * packet that the system refuses is counted, and stops no other.
 */
final class Outbox implements Output {
  private final UdpSocket socket;
  private final DatagramBatch batch;
  private final Tally<Outcome> tally;
  private int count;
  private IOException failure;

  Outbox(UdpSocket socket, DatagramBatch batch, Tally<Outcome> tally) {
    this.socket = socket;
    this.batch = batch;
    this.tally = tally;
  }

  @Override
  public ByteBuffer bytes() {
    return batch.bytes();
  }

  @Override
  public int start() {
    return batch.room(count);
  }

  @Override
  public int end() {
    return batch.room(count) + batch.size();
  }

  @Override
  public void send(int length, Endpoint to, Endpoint from, int ttl) {
    batch.to(count, to.high(), to.low(), to.port());
    batch.from(count, from.high(), from.low());
    batch.setTtl(count, ttl);
    batch.via(count, socket);
    batch.part(count, start(), length);
    count++;
    if (count == batch.capacity()) {
      empty();
    }
  }

  /**
   * Sends all packets that are there.
   *
   * @throws IOException if the socket is closed
   */
  void flush() throws IOException {
    empty();
    if (failure != null) {
      throw failure;
    }
  }

  private void empty() {
    int full = count;
    count = 0;
    try {
      if (full == 0 || UdpSocket.sendEach(batch, 0, full) == full) {
        return;
      }
    } catch (IOException e) {
      failure = e;
      return;
    }
    for (int i = 0; i < full; i++) {
      if (batch.error(i) != 0) {
        boolean busy = batch.error(i) == DatagramBatch.FULL;
        tally.count(busy ? Outcome.ROUTER_SOCKET_FULL : Outcome.ROUTER_NOT_SENT);
      }
    }
  }
}
