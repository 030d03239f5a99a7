// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import java.util.HexFormat;
import org.junit.jupiter.api.Assertions;

/**
 * Messages written down in hexadecimal as RFC 5971 appendix A draws them, without the codec under
 * test. White space means nothing, a {@code #} comments the rest of its line.
 */
final class Bytes {
  /** The magic number before the common header of every datagram (section 5.3.1). */
  static final String MAGIC = "4e04bda5";

  private Bytes() {}

  /** Returns the text without white space and comments. */
  static String plain(String hex) {
    StringBuilder plain = new StringBuilder();
    for (String line : hex.split("\n", -1)) {
      int comment = line.indexOf('#');
      plain.append((comment < 0 ? line : line.substring(0, comment)).replaceAll("\\s", ""));
    }
    return plain.toString();
  }

  static byte[] of(String hex) {
    return HexFormat.of().parseHex(plain(hex));
  }

  static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  /**
   * Returns an object: the first half of its header ({@code AB rr type12}), then length and value.
   */
  static String object(String type, String value) {
    String words = plain(value);
    return type + String.format("%04x", words.length() / 8) + words;
  }

  /**
   * Returns a message.
   *
   * @param header version, hop count, NSLPID, C-flag and type, flags: "01 20 7fc6 80 40"; the
   *     length is added
   */
  static String message(String header, String... objects) {
    String fields = plain(header);
    String body = plain(String.join("", objects));
    return fields.substring(0, 4)
        + String.format("%04x", body.length() / 8)
        + fields.substring(4)
        + body;
  }

  /** Compares, where {@code ??} in the expectation stands for any byte. */
  static void assertLike(String expected, byte[] actual) {
    String wanted = plain(expected);
    String is = hex(actual);
    StringBuilder masked = new StringBuilder(is);
    for (int i = 0; i + 1 < Math.min(wanted.length(), is.length()); i += 2) {
      if (wanted.startsWith("??", i)) {
        masked.replace(i, i + 2, "??");
      }
    }
    Assertions.assertEquals(wanted, masked.toString());
  }
}
