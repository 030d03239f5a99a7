// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Request methods by name; {@link #OTHER} stands for every token not listed. Case matters. */
public enum SipMethod {
  ACK,
  BYE,
  CANCEL,
  INFO,
  INVITE,
  MESSAGE,
  NOTIFY,
  OPTIONS,
  PRACK,
  PUBLISH,
  REFER,
  REGISTER,
  SUBSCRIBE,
  UPDATE,
  OTHER;

  private static final SipMethod[] ALL = values();

  private static final long[] WORDS =
      Arrays.stream(ALL)
          .mapToLong(method -> Ascii.word(method.name().getBytes(StandardCharsets.US_ASCII)))
          .toArray();

  private static final byte[][] ASCII =
      Arrays.stream(ALL)
          .map(method -> method.name().getBytes(StandardCharsets.US_ASCII))
          .toArray(byte[][]::new);

  /** Returns the place of this constant among all, from 0. */
  @SuppressWarnings("EnumOrdinal") // a number for hashes, which no file keeps
  int index() {
    return ordinal();
  }

  /** Returns the method by its name, the first {@code length} bytes of a word, at most eight. */
  static SipMethod of(long word, int length) {
    for (int i = 0; i < ALL.length - 1; i++) {
      if (WORDS[i] == word && ASCII[i].length == length) {
        return ALL[i];
      }
    }
    return OTHER;
  }

  /** Returns the method by its name, which must be exactly these bytes. */
  public static SipMethod of(ByteBuffer buffer, int start, int end) {
    long word = Ascii.word(buffer, start, end);
    for (int i = 0; i < ALL.length; i++) {
      if (WORDS[i] == word && ALL[i] != OTHER && Ascii.equal(buffer, start, end, ASCII[i])) {
        return ALL[i];
      }
    }
    return OTHER;
  }
}
