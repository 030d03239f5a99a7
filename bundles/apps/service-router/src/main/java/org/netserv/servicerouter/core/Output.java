// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import java.nio.ByteBuffer;
import org.netserv.serval.Endpoint;

/** Takes the packets that go on. The router writes each one in place, and then has it sent. */
public interface Output {
  /** Returns the memory for the next packet, big-endian. */
  ByteBuffer bytes();

  /** Returns the index of the next packet's first byte. */
  int start();

  /** Returns the index behind the room of the next packet. */
  int end();

  /**
   * Sends the packet that begins at {@link #start}. The next one has another room.
   *
   * @param from the address to which the packet came, whose halves are 0 if nobody knows it
   * @param ttl 1 to 255
   */
  void send(int length, Endpoint to, Endpoint from, int ttl);
}
