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
   * Of the plain Query: 5 bits of the common header; of four objects 4 + 2 reserved bits and the AB
   * flags, which do not matter where the type is known; of the MRI 7 + 5 and the DS field with its
   * 2 bits; of the NLI 12 and three bytes of padding. Two flags blank a port.
   */
  @Test
  void reservedBitsOfTheQuery() throws GistFormatException {
    flipAll(Vectors.bytes("query"));
    assertEquals(5 + 4 * 8 + 12 + 8 + 12 + 24, reserved);
    assertEquals(2, clears);
  }

  /** Of the MA-Hello: 5 bits of the header, 8 of the object; nothing else is free. */
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
        clears++; // what the flag announced is blank now
        assertEquals(message, GistMessage.decode(again), "bit " + bit);
      }
    }
  }
}
