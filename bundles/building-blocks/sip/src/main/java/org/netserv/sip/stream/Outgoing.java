// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The bytes that wait for a socket to take them. An idle stream has none, and no memory for them.
 * Belongs to one thread.
 */
public final class Outgoing {
  private final SocketChannel channel;
  private ByteBuffer waiting; // ready to be written, null = none

  Outgoing(SocketChannel channel) {
    this.channel = channel;
  }

  public boolean isEmpty() {
    return waiting == null;
  }

  /** Returns the number of bytes that wait. */
  public int waiting() {
    return waiting == null ? 0 : waiting.remaining();
  }

  /** Writes what is waiting. */
  void flush() throws IOException {
    if (waiting != null) {
      channel.write(waiting);
      waiting = waiting.hasRemaining() ? waiting : null;
    }
  }

  /** Writes the bytes, and keeps a copy of those that the socket does not take. */
  public void send(ByteBuffer bytes) throws IOException {
    if (waiting == null) {
      channel.write(bytes);
    }
    if (bytes.hasRemaining()) {
      ByteBuffer all = ByteBuffer.allocate(waiting() + bytes.remaining());
      if (waiting != null) {
        all.put(waiting);
      }
      waiting = all.put(bytes).flip();
    }
  }
}
