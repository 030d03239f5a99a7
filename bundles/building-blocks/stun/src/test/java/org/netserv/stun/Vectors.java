// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.HexFormat;

/** The messages of RFC 5769 and of RFC 8489, appendix B. */
final class Vectors {
  static final String USERNAME = "\u30de\u30c8\u30ea\u30c3\u30af\u30b9";
  static final String PASSWORD = "The\u00adM\u00aatr\u2168";
  static final String REALM = "example.org";

  /** RFC 5769, 2.1. */
  static final byte[] REQUEST =
      hex(
          "00010058 2112a442 b7e7a701 bc34d686 fa87dfae"
              + "80220010 5354554e 20746573 7420636c 69656e74"
              + "00240004 6e0001ff"
              + "80290008 932ff9b1 51263b36"
              + "00060009 6576746a 3a683676 59202020"
              + "00080014 9aeaa70c bfd8cb56 781ef2b5 b2d3f249 c1b571a2"
              + "80280004 e57a3bcf");

  /** RFC 5769, 2.2. */
  static final byte[] RESPONSE4 =
      hex(
          "0101003c 2112a442 b7e7a701 bc34d686 fa87dfae"
              + "8022000b 74657374 20766563 746f7220"
              + "00200008 0001a147 e112a643"
              + "00080014 2b91f599 fd9e90c3 8c7489f9 2af9ba53 f06be7d7"
              + "80280004 c07d4c96");

  /** RFC 5769, 2.3. */
  static final byte[] RESPONSE6 =
      hex(
          "01010048 2112a442 b7e7a701 bc34d686 fa87dfae"
              + "8022000b 74657374 20766563 746f7220"
              + "00200014 0002a147 0113a9fa a5d3f179 bc25f4b5 bed2b9d9"
              + "00080014 a382954e 4be67bf1 1784c97c 8292c275 bfe3ed41"
              + "80280004 c8fb0b4c");

  /** RFC 5769, 2.4. */
  static final byte[] LONG_TERM =
      hex(
          "00010060 2112a442 78ad3433 c6ad72c0 29da412e"
              + "00060012 e3839ee3 8388e383 aae38383 e382afe3 82b90000"
              + "0015001c 662f2f34 39396b39 35346436 4f4c3334 6f4c3946 53547679 36347341"
              + "0014000b 6578616d 706c652e 6f726700"
              + "00080014 f6702465 6dd64a3e 02b8e071 2e85c9a2 8ca89666");

  /**
   * RFC 8489, B.1, as erratum 6268 corrects it. The printed message has no PASSWORD-ALGORITHM, and
   * a length that is 20 too high.
   */
  static final byte[] LONG_TERM_256 =
      hex(
          "00010090 2112a442 78ad3433 c6ad72c0 29da412e"
              + "001e0020 4a3cf38f ef6992bd a952c678 0417da0f 24819415 569e60b2 05c46e41 407f1704"
              + "00150029 6f624d61 744a6f73 32414141 43662f2f 3439396b 39353464 364f4c33"
              + "346f4c39 46535476 79363473 41000000"
              + "0014000b 6578616d 706c652e 6f726700"
              + "001d0004 00020000"
              + "001c0020 b5c7bf00 5b6c52a2 1c51c5e8 92f81924 136296cb 927c4314 9309278c c6518e65");

  /** The attributes of RFC 8489, B.1, in front of the check value, behind the printed header. */
  static final byte[] PRINTED_256 =
      hex(
          "0001009c 2112a442 78ad3433 c6ad72c0 29da412e"
              + "001e0020 4a3cf38f ef6992bd a952c678 0417da0f 24819415 569e60b2 05c46e41 407f1704"
              + "00150029 6f624d61 744a6f73 32414141 43662f2f 3439396b 39353464 364f4c33"
              + "346f4c39 46535476 79363473 41000000"
              + "0014000b 6578616d 706c652e 6f726700");

  /** The check value that RFC 8489, B.1, prints. */
  static final byte[] PRINTED_256_VALUE =
      hex("e4686c8f 0edeb590 13e07090 010a93ef ccbccc54 4c0a45d9 f830aa6d 6f735a01");

  static final byte[][] ALL = {REQUEST, RESPONSE4, RESPONSE6, LONG_TERM, LONG_TERM_256};

  private Vectors() {}

  static byte[] hex(String text) {
    return HexFormat.of().parseHex(text.replace(" ", ""));
  }

  static StunMessage read(byte[] bytes) {
    StunMessage message = new StunMessage();
    assertEquals(StunError.OK, message.reset(ByteBuffer.wrap(bytes), 0, bytes.length));
    return message;
  }
}
