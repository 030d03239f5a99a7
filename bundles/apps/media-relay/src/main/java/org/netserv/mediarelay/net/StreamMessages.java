// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.netserv.io.DatagramBatch;
import org.netserv.io.UdpSocket;
import org.netserv.mediarelay.core.Client;
import org.netserv.mediarelay.core.TurnServer;
import org.netserv.mediarelay.core.Why;
import org.netserv.packet.Tally;

/**
 * The messages of clients whose leg is a stream or a DTLS session. One message at a time goes
 * through a batch of its own, in which it is copied once.
 */
final class StreamMessages implements ClientMessages {
  private static final int CHANNEL_BITS = 0xc0;
  private static final int CHANNEL = 0x40;

  private final TurnServer turn;
  private final DataPath path;
  private final Loop loop;
  private final Tally<Why> tally;
  private final DatagramBatch batch = new DatagramBatch(1, DatagramBatch.SIZE_MOST);

  StreamMessages(TurnServer turn, DataPath path, Loop loop, Tally<Why> tally) {
    this.turn = turn;
    this.path = path;
    this.loop = loop;
    this.tally = tally;
  }

  @Override
  public void received(Client from, ByteBuffer bytes, int start, int length) {
    long now = loop.nanoTime();
    boolean channel = length > 0 && (bytes.get(start) & CHANNEL_BITS) == CHANNEL;
    if (!channel && !DataPath.isSend(bytes, start, length)) {
      turn.received(from, bytes, start, length, now);
      return;
    }
    int at = batch.room(0) + Indication.HEADROOM;
    if (length > batch.size() - 2 * Indication.HEADROOM) {
      tally.count(Why.TOO_LONG);
      return;
    }
    batch.bytes().put(at, bytes, start, length);
    path.entry(batch, 0, batch.room(0));
    boolean goes =
        channel
            ? path.channelData(from.allocation(), at, length, now)
            : path.send(from.allocation(), at, length, now);
    if (goes) {
      send();
    }
  }

  private void send() {
    try {
      if (UdpSocket.sendEach(batch, 0, 1) < 1) {
        tally.count(PacketThread.why(batch.error(0)));
      }
    } catch (IOException e) {
      tally.count(Why.UNREACHABLE);
    }
  }

  @Override
  public void gone(Client client) {
    turn.gone(client, loop.nanoTime());
  }
}
