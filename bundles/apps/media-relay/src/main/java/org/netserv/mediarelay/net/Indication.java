// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;
import org.netserv.stun.ChannelData;
import org.netserv.stun.StunClass;
import org.netserv.stun.StunMessage;
import org.netserv.stun.StunMethod;

/**
 * Writes the header of TURN in front of data that is there already. Allocates nothing.
 *
 * <pre>
 *   ChannelData      number, length                                                     4 bytes
 *   Data indication  STUN header, XOR-PEER-ADDRESS, DATA's type and length     36 or 48 bytes
 * </pre>
 */
final class Indication {
  /** Bytes in front of data that the longest header takes. */
  static final int HEADROOM = 48;

  private static final int XOR_PEER_ADDRESS = 0x0012;
  private static final int DATA = 0x0013;
  private static final int IPV4_VALUE = 8;
  private static final int IPV6_VALUE = 20;
  private static final int ATTRIBUTE = 4;
  private static final int IPV4_FAMILY = 1;
  private static final int IPV6_FAMILY = 2;

  private final RandomGenerator random;
  private int start;
  private int length;

  /**
   * @param random makes transaction ids
   */
  Indication(RandomGenerator random) {
    this.random = random;
  }

  /** Returns the index of the first byte of the message written last. */
  int start() {
    return start;
  }

  /** Returns the bytes of the message written last. */
  int length() {
    return length;
  }

  void channelData(ByteBuffer bytes, int at, int count, int number) {
    start = at - ChannelData.HEADER;
    length = count + ChannelData.HEADER;
    ChannelData.put(bytes, start, number, count);
  }

  /** Writes a Data indication around the data. Up to 3 bytes behind it are made 0. */
  void data(ByteBuffer bytes, int at, int count, boolean v4, long high, long low, int port) {
    int value = v4 ? IPV4_VALUE : IPV6_VALUE;
    int padding = -count & 3;
    start = at - StunMessage.HEADER - 2 * ATTRIBUTE - value;
    length = at + count + padding - start;
    bytes.putShort(start, (short) StunMethod.DATA.type(StunClass.INDICATION));
    bytes.putShort(start + 2, (short) (length - StunMessage.HEADER));
    bytes.putInt(start + 4, StunMessage.COOKIE);
    bytes.putInt(start + 8, random.nextInt());
    bytes.putLong(start + 12, random.nextLong());
    int peer = start + StunMessage.HEADER;
    bytes.putShort(peer, (short) XOR_PEER_ADDRESS);
    bytes.putShort(peer + 2, (short) value);
    address(bytes, peer + ATTRIBUTE, v4, high, low, port);
    bytes.putShort(at - ATTRIBUTE, (short) DATA);
    bytes.putShort(at - 2, (short) count);
    for (int i = 0; i < padding; i++) {
      bytes.put(at + count + i, (byte) 0);
    }
  }

  private void address(ByteBuffer bytes, int at, boolean v4, long high, long low, int port) {
    bytes.putShort(at, (short) (v4 ? IPV4_FAMILY : IPV6_FAMILY));
    bytes.putShort(at + 2, (short) (port ^ (StunMessage.COOKIE >>> 16)));
    if (v4) {
      bytes.putInt(at + 4, (int) low ^ StunMessage.COOKIE);
    } else {
      bytes.putLong(at + 4, high ^ bytes.getLong(start + 4));
      bytes.putLong(at + 12, low ^ bytes.getLong(start + 12));
    }
  }
}
