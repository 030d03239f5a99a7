// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.nio.ByteBuffer;
import org.netserv.mediarelay.core.Client;

/** Takes the messages that client legs have received. All calls are made with the lock held. */
public interface ClientMessages {
  /**
   * Takes one whole STUN or ChannelData message. A leg of a stream has found its end by the length
   * field and has taken the padding off.
   *
   * @param bytes memory of the message, addressed by absolute index; the relay may change the
   *     message and up to 64 bytes before it, and keeps nothing when this returns
   * @param start index of the first byte
   * @param length bytes of the message
   */
  void received(Client from, ByteBuffer bytes, int start, int length);

  /** The client's connection has ended, by either side. Called once, never for UDP. */
  void gone(Client client);
}
