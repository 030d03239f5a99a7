// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import org.netserv.values.BadValueException;

/**
 * Sequences of type-length-value. Everything binary here has this shape:
 *
 * <pre>
 *    0                   1                   2                   3
 *   +-------------------------------+-------------------------------+
 *   |             type              |            length             |   big-endian
 *   +-------------------------------+-------------------------------+
 *   |  value: length bytes, no padding ...
 * </pre>
 *
 * Types ascend strictly, so each appears at most once and a set of values has one encoding.
 */
public final class Tlv {
  public static final int HEAD = 4;
  public static final int MAX_LENGTH = 0xffff;

  private Tlv() {}

  /** Writes TLVs in the order of the calls. Not safe for use by several threads. */
  public static final class Writer {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private int lastType = -1;

    public Writer put(int type, byte[] value) {
      if (type <= lastType || type > 0xffff || value.length > MAX_LENGTH) {
        throw new IllegalArgumentException("TLV type " + type + " of " + value.length + " bytes");
      }
      lastType = type;
      out.writeBytes(
          ByteBuffer.allocate(HEAD).putShort((short) type).putShort((short) value.length).array());
      out.writeBytes(value);
      return this;
    }

    public byte[] bytes() {
      return out.toByteArray();
    }
  }

  /**
   * Reads TLVs. The reader checks a length against the remaining bytes before it copies the value.
   */
  public static final class Reader {
    private final ByteBuffer in;
    private int lastType = -1;
    private int type;
    private byte[] value;

    public Reader(byte[] bytes) {
      in = ByteBuffer.wrap(bytes);
    }

    /** Goes to the next TLV; false at the end. */
    public boolean next() throws BadValueException {
      if (!in.hasRemaining()) {
        return false;
      }
      if (in.remaining() < HEAD) {
        throw new BadValueException("cut short inside the head of a TLV");
      }
      type = Short.toUnsignedInt(in.getShort());
      int length = Short.toUnsignedInt(in.getShort());
      if (type <= lastType) {
        throw new BadValueException(
            name(type) + (type == lastType ? " is given twice" : " is out of order, types ascend"));
      }
      if (length > in.remaining()) {
        throw new BadValueException(name(type) + " is cut short: " + length + " bytes announced");
      }
      lastType = type;
      value = new byte[length];
      in.get(value);
      return true;
    }

    public int type() {
      return type;
    }

    public byte[] value() {
      return value;
    }
  }

  public static String name(int type) {
    return String.format("TLV type 0x%04x", type);
  }
}
