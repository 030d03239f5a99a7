// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import org.netserv.mediarelay.core.Client;

/** Remembers what came, and answers with an echo if it is told to. */
final class Messages implements ClientMessages {
  final List<String> received = new ArrayList<>();
  final List<Client> clients = new ArrayList<>();
  final List<Client> gone = new ArrayList<>();
  boolean echoes;
  Consumer<Client> onNext = client -> {};

  @Override
  public void received(Client from, ByteBuffer bytes, int start, int length) {
    received.add(hex(bytes, start, length));
    clients.add(from);
    onNext.accept(from);
    if (echoes) {
      from.way().send(from, bytes, start, length);
    }
  }

  @Override
  public void gone(Client client) {
    gone.add(client);
  }

  static String hex(ByteBuffer bytes, int start, int length) {
    byte[] copy = new byte[length];
    bytes.get(start, copy);
    return HexFormat.of().formatHex(copy);
  }

  /** Returns a STUN Binding request with as many bytes behind its header. */
  static byte[] stun(int more) {
    ByteBuffer bytes = ByteBuffer.allocate(20 + more);
    bytes.putShort((short) 1).putShort((short) more).putInt(0x2112_a442).putInt(7);
    while (bytes.hasRemaining()) {
      bytes.put((byte) bytes.position());
    }
    return bytes.array();
  }

  /** Returns ChannelData with padding. */
  static byte[] channelData(int channel, int length) {
    ByteBuffer bytes = ByteBuffer.allocate(4 + StreamFrames.padded(length));
    bytes.putShort((short) channel).putShort((short) length);
    for (int i = 0; i < length; i++) {
      bytes.put((byte) (i + 1));
    }
    return bytes.array();
  }

  static byte[] joined(byte[]... parts) {
    int length = 0;
    for (byte[] part : parts) {
      length += part.length;
    }
    ByteBuffer all = ByteBuffer.allocate(length);
    for (byte[] part : parts) {
      all.put(part);
    }
    return all.array();
  }
}
