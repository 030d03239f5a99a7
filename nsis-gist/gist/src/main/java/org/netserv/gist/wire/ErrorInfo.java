// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.Arrays;

/**
 * An additional information field of an Error object (appendix A.4.2).
 *
 * @param value whole words
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record ErrorInfo(int kind, byte[] value) {
  public static final int MESSAGE_LENGTH = 1;
  public static final int MTU = 2;
  public static final int OBJECT_TYPE = 3;
  public static final int OBJECT_VALUE = 4;

  /** Longest copy of an object, in bytes: two of them must fit into an Error object. */
  static final int OBJECT_MAX = 4096;

  public ErrorInfo {
    if (kind >> 16 != 0 || value.length % 4 != 0 || value.length > 4 * ObjectCodec.MAX_WORDS) {
      throw new IllegalArgumentException("info " + kind + " of " + value.length + " bytes");
    }
  }

  /** The length of the message by its objects, in words; cut to 65535. */
  public static ErrorInfo messageLength(int words) {
    return new ErrorInfo(MESSAGE_LENGTH, number(Math.min(words, 0xffff)));
  }

  /** The IP MTU of the link that a message did not fit, in bytes; cut to 65535. */
  public static ErrorInfo mtu(int bytes) {
    return new ErrorInfo(MTU, number(Math.min(bytes, 0xffff)));
  }

  /** The type of an object, 0 to 4095. */
  public static ErrorInfo objectType(int type) {
    return new ErrorInfo(OBJECT_TYPE, number(type));
  }

  /** An object as it came, its header included, at most {@link #OBJECT_MAX}. */
  static ErrorInfo objectValue(int offset, byte[] object) {
    return new ErrorInfo(
        OBJECT_VALUE,
        new WireWriter(4 + object.length)
            .put16(object.length / 4)
            .put16(offset)
            .put(object)
            .toBytes());
  }

  private static byte[] number(int value) {
    return new byte[] {(byte) (value >> 8), (byte) value, 0, 0};
  }

  /** The number of the kinds 1 to 3, and the length in words of kind 4; -1 = it has none. */
  public int number() {
    return value.length < 2 ? -1 : NetworkOrder.get16(value, 0);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ErrorInfo that && kind == that.kind && Arrays.equals(value, that.value);
  }

  @Override
  public int hashCode() {
    return 31 * kind + Arrays.hashCode(value);
  }
}
