// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.mediarelay.core.Ip;
import org.netserv.stun.ChannelData;
import org.netserv.stun.StunAddress;
import org.netserv.stun.StunAttribute;
import org.netserv.stun.StunError;
import org.netserv.stun.StunMessage;

/** Headers of TURN that are written in front of data. */
class IndicationTest {
  private static final int AT = Indication.HEADROOM;
  private static final int SPARE = 8;

  private final Indication indication = new Indication(new SplittableRandom(1));

  private static ByteBuffer data(int count) {
    ByteBuffer bytes = ByteBuffer.allocate(AT + count + SPARE);
    for (int i = 0; i < bytes.capacity(); i++) {
      bytes.put(i, (byte) (i * 7 + 1));
    }
    return bytes;
  }

  private static void same(ByteBuffer bytes, int start, int count) {
    for (int i = 0; i < count; i++) {
      assertEquals((byte) ((AT + i) * 7 + 1), bytes.get(start + i));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 160, 1200})
  void aDataIndicationIsWholeForEachLengthAndFamily(int count) {
    for (boolean v4 : new boolean[] {true, false}) {
      long high = v4 ? 0 : 0x2001_0db8_0000_0001L;
      long low = v4 ? Ip.v4(0xc6336407) : 9;
      ByteBuffer bytes = data(count);
      indication.data(bytes, AT, count, v4, high, low, 4000);
      StunMessage message = new StunMessage();
      int end = indication.start() + indication.length();
      assertEquals(StunError.OK, message.reset(bytes, indication.start(), end));
      StunAddress peer = new StunAddress();
      assertTrue(peer.get(message, StunAttribute.XOR_PEER_ADDRESS));
      assertEquals(high, peer.high());
      assertEquals(low, peer.low());
      assertEquals(4000, peer.port());
      int at = message.find(StunAttribute.DATA);
      assertEquals(count, message.length(at));
      same(bytes, message.valueStart(at), count);
      assertTrue(indication.start() >= 0 && end <= AT + count + 3);
    }
  }

  @Test
  void channelDataIsItsHeaderAndTheData() {
    ByteBuffer bytes = data(161);
    indication.channelData(bytes, AT, 161, 0x4abc);
    ChannelData view = new ChannelData();
    int end = indication.start() + indication.length();
    assertTrue(view.reset(bytes, indication.start(), end));
    assertEquals(0x4abc, view.number());
    assertEquals(161, view.length());
    same(bytes, view.dataStart(), 161);
  }
}
