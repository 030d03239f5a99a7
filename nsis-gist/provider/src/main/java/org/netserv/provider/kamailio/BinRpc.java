// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.kamailio;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The codec of BINRPC, which Kamailio's module {@code ctl} speaks (and {@code kamcmd} with it).
 *
 * <pre>
 *   +----+----+-----+--+--+-----------+-----------+--------- ...
 *   |0xA |0x1 |kind |LL|CL|  length   |  cookie   | records
 *   +----+----+-----+--+--+-----------+-----------+--------- ...
 *     4    4    4    2  2   LL+1 bytes  CL+1 bytes  length bytes     big-endian
 *
 *   record   +-+---+----+---------------+-----------+
 *            |F| S |type| F=1: S bytes  |  value    |    F=0: the value has S bytes
 *            +-+---+----+---------------+-----------+    F=1: its length has S bytes
 *   type     0 integer, 1 string with a NUL, 2 double (thousandths), 3 structure, 4 list,
 *            5 name of a structure's member, 6 bytes; a structure or list ends with F=1, S=0
 * </pre>
 *
 * <p>Integers are {@link Integer}, strings {@link String}, structures {@link Map}, lists {@link
 * List}. Without state, so safe on any thread.
 */
public final class BinRpc {
  /** Longest answer in bytes; a longer one is refused before memory is taken for it. */
  public static final int MAX_BODY = 1 << 20;

  private static final int MAGIC = 0xa1;
  private static final int REQUEST = 0;
  private static final int REPLY = 1;
  private static final int FAULT = 3;
  private static final int DEEPEST = 16;

  private static final int INTEGER = 0;
  private static final int STRING = 1;
  private static final int DOUBLE = 2;
  private static final int STRUCTURE = 3;
  private static final int LIST = 4;
  private static final int NAME = 5;
  private static final int BYTES = 6;

  private BinRpc() {}

  /**
   * The head of an answer.
   *
   * @param fault true if Kamailio refuses the call
   * @param length of the records in bytes, at most {@link #MAX_BODY}
   */
  record Head(boolean fault, int length, int cookie) {}

  /**
   * Encodes a call.
   *
   * @param arguments strings and integers
   */
  static byte[] request(int cookie, String method, List<?> arguments) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    string(body, method);
    for (Object argument : arguments) {
      if (argument instanceof Integer number) {
        number(body, number);
      } else {
        string(body, String.valueOf(argument));
      }
    }
    ByteBuffer message = ByteBuffer.allocate(10 + body.size());
    message.put((byte) MAGIC).put((byte) ((REQUEST << 4) | (3 << 2) | 3));
    message.putInt(body.size()).putInt(cookie).put(body.toByteArray());
    return message.array();
  }

  private static void number(ByteArrayOutputStream to, int value) {
    to.write((4 << 4) | INTEGER);
    to.writeBytes(ByteBuffer.allocate(4).putInt(value).array());
  }

  private static void string(ByteArrayOutputStream to, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int length = bytes.length + 1;
    if (length < 8) {
      to.write((length << 4) | STRING);
    } else {
      to.write(0x80 | (4 << 4) | STRING);
      to.writeBytes(ByteBuffer.allocate(4).putInt(length).array());
    }
    to.writeBytes(bytes);
    to.write(0);
  }

  /**
   * Reads the head of an answer.
   *
   * @param in from its position, which moves behind the head only if the head is complete
   * @return null if bytes are missing
   */
  static Head head(ByteBuffer in) throws BinRpcException {
    int start = in.position();
    if (in.remaining() < 2) {
      return null;
    }
    if ((in.get(start) & 0xff) != MAGIC) {
      throw new BinRpcException("not BINRPC: the first byte is " + (in.get(start) & 0xff));
    }
    int second = in.get(start + 1) & 0xff;
    int lengthBytes = ((second >> 2) & 3) + 1;
    int cookieBytes = (second & 3) + 1;
    if (in.remaining() < 2 + lengthBytes + cookieBytes) {
      return null;
    }
    int kind = second >> 4;
    if (kind != REPLY && kind != FAULT) {
      throw new BinRpcException("neither a reply nor a fault: " + kind);
    }
    in.position(start + 2);
    long length = unsigned(in, lengthBytes);
    int cookie = (int) unsigned(in, cookieBytes);
    if (length > MAX_BODY) {
      throw new BinRpcException("an answer of " + length + " bytes");
    }
    return new Head(kind == FAULT, (int) length, cookie);
  }

  /** Reads the records of an answer up to the buffer's limit. */
  static List<Object> records(ByteBuffer in) throws BinRpcException {
    List<Object> records = new ArrayList<>();
    while (in.hasRemaining()) {
      records.add(value(in, in.get() & 0xff, 0));
    }
    return records;
  }

  private static Object value(ByteBuffer in, int head, int depth) throws BinRpcException {
    if (depth > DEEPEST) {
      throw new BinRpcException("nested more than " + DEEPEST + " times");
    }
    int type = head & 0xf;
    if (type == STRUCTURE || type == LIST) {
      if (head >> 4 != 0) {
        throw new BinRpcException("the end of a structure or list that did not begin");
      }
      return type == STRUCTURE ? structure(in, depth) : list(in, depth);
    }
    ByteBuffer bytes = bytes(in, head);
    return switch (type) {
      case INTEGER -> integer(bytes);
      case DOUBLE -> integer(bytes) / 1000.0;
      case STRING -> text(bytes);
      case BYTES -> StandardCharsets.ISO_8859_1.decode(bytes).toString();
      default -> throw new BinRpcException("a record of type " + type);
    };
  }

  private static Map<String, Object> structure(ByteBuffer in, int depth) throws BinRpcException {
    Map<String, Object> structure = new LinkedHashMap<>();
    for (int head = next(in); head != (0x80 | STRUCTURE); head = next(in)) {
      if ((head & 0xf) != NAME) {
        throw new BinRpcException("a member of a structure without a name");
      }
      String name = text(bytes(in, head));
      structure.put(name, value(in, next(in), depth + 1));
    }
    return structure;
  }

  private static List<Object> list(ByteBuffer in, int depth) throws BinRpcException {
    List<Object> list = new ArrayList<>();
    for (int head = next(in); head != (0x80 | LIST); head = next(in)) {
      list.add(value(in, head, depth + 1));
    }
    return list;
  }

  private static int next(ByteBuffer in) throws BinRpcException {
    if (!in.hasRemaining()) {
      throw new BinRpcException("a structure or list without its end");
    }
    return in.get() & 0xff;
  }

  /** Returns the value's bytes, and moves behind them. */
  private static ByteBuffer bytes(ByteBuffer in, int head) throws BinRpcException {
    long length = (head >> 4) & 7;
    if ((head & 0x80) != 0) {
      if (length > 4 || length > in.remaining()) {
        throw new BinRpcException("a record's length ends behind the answer");
      }
      length = unsigned(in, (int) length);
    }
    if (length > in.remaining()) {
      throw new BinRpcException("a record ends behind the answer");
    }
    ByteBuffer bytes = in.slice(in.position(), (int) length);
    in.position(in.position() + (int) length);
    return bytes;
  }

  private static int integer(ByteBuffer bytes) throws BinRpcException {
    if (bytes.remaining() > 4) {
      throw new BinRpcException("an integer of " + bytes.remaining() + " bytes");
    }
    return (int) unsigned(bytes, bytes.remaining());
  }

  private static String text(ByteBuffer bytes) throws BinRpcException {
    int length = bytes.remaining();
    if (length == 0 || bytes.get(length - 1) != 0) {
      throw new BinRpcException("a string without its NUL");
    }
    return StandardCharsets.UTF_8.decode(bytes.limit(length - 1)).toString();
  }

  private static long unsigned(ByteBuffer in, int bytes) {
    long value = 0;
    for (int i = 0; i < bytes; i++) {
      value = (value << 8) | (in.get() & 0xff);
    }
    return value;
  }
}
