// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Each bit of each message either counts, or is reserved, or makes the message wrong. */
class EveryBitTest {
  private int refused;
  private int counts;
  private int reserved;
  private int clears;

  @Test
  void ofAllMessages() throws GistFormatException {
    for (byte[] bytes : Vectors.all()) {
      flipAll(bytes);
    }
    assertNotEquals(0, refused);
    assertNotEquals(0, counts);
  }

  /**
   * Reserved bits of the plain Query. The common header has 5. Each of the four objects has 4 + 2,
   * and its two AB flags, which do not matter for a known type. The MRI has 7 + 5, the DS field
   * with its flag off, and the 2 bits after the DS field. The NLI has 12 and three bytes of
   * padding. Two flags blank a port.
   */
  @Test
  void reservedBitsOfTheQuery() throws GistFormatException {
    flipAll(Vectors.bytes("query"));
    assertEquals(5 + 4 * 8 + 12 + 8 + 12 + 24, reserved);
    assertEquals(2, clears);
  }

  /** Reserved bits of the MA-Hello: 5 of the header, 8 of the object. No other bit is free. */
  @Test
  void reservedBitsOfTheHello() throws GistFormatException {
    flipAll(Vectors.bytes("hello"));
    assertEquals(5 + 8, reserved);
    assertEquals(0, clears);
  }

  private void flipAll(byte[] bytes) throws GistFormatException {
    for (int bit = 0; bit < 8 * bytes.length; bit++) {
      byte[] flipped = bytes.clone();
      flipped[bit / 8] ^= (byte) (0x80 >> bit % 8);
      GistMessage message;
      try {
        message = GistMessage.decode(flipped);
      } catch (GistFormatException e) {
        refused++;
        continue;
      }
      byte[] again = message.encode();
      if (Arrays.equals(flipped, again)) {
        counts++;
      } else if (Arrays.equals(bytes, again)) {
        reserved++;
      } else {
        clears++; // the field that the flag announced is blank now
        assertEquals(message, GistMessage.decode(again), "bit " + bit);
      }
    }
  }
}
