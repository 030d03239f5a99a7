// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

import java.nio.charset.StandardCharsets;

/**
 * Writes a head into an array of a fixed size.
 *
 * <pre>
 *   begin().status(200).field(Field.AGE, 7).copy(fields, line).end();
 *   if (fits()) ... bytes(), length()
 * </pre>
 *
 * The methods add up, and {@link #fits} tells once at the end whether everything had room and was
 * clean. A name that is no token, and a value with CR, LF, NUL or another control character, spoil
 * the head, so that nothing from another protocol version can smuggle a line into it.
 */
public final class HeadWriter {
  private static final byte[] VERSION = ascii("HTTP/1.1 ");

  private final byte[] bytes;
  private int length;
  private boolean sound;

  /**
   * Makes a writer.
   *
   * @param capacity the most bytes of a head, 64 to 2^20
   */
  public HeadWriter(int capacity) {
    if (capacity < 64 || capacity > 1 << 20) {
      throw new IllegalArgumentException("capacity is " + capacity + ", not 64 to 2^20");
    }
    bytes = new byte[capacity];
    sound = true;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Forgets the last head. */
  public HeadWriter begin() {
    length = 0;
    sound = true;
    return this;
  }

  /** Adds a status line with an empty reason phrase. */
  public HeadWriter status(int code) {
    raw(VERSION, 0, VERSION.length);
    number(code);
    octet(' ');
    return line();
  }

  /** Adds a request line of HTTP/1.1. An empty path is written as "/". */
  public HeadWriter request(byte[] array, int method, int methodEnd, int path, int pathEnd) {
    sound &= Octets.areToken(array, method, methodEnd);
    raw(array, method, methodEnd);
    octet(' ');
    if (path == pathEnd || array[path] == '?') {
      octet('/');
    }
    for (int i = path; i < pathEnd; i++) {
      sound &= Octets.isTarget(array[i]);
    }
    raw(array, path, pathEnd);
    octet(' ');
    raw(VERSION, 0, VERSION.length - 1);
    return line();
  }

  /** Adds a field with a number of at least 0. */
  public HeadWriter field(Field field, long value) {
    return name(field).number(value).line();
  }

  /** Adds a field with a value of ASCII. */
  public HeadWriter field(Field field, String value) {
    return name(field).text(value).line();
  }

  /** Adds a field with a value from an array. */
  public HeadWriter field(Field field, byte[] array, int start, int end) {
    return name(field).value(array, start, end).line();
  }

  /** Adds a field with a date. */
  public HeadWriter date(Field field, long seconds) {
    name(field);
    if (length + HttpDate.LENGTH <= bytes.length) {
      HttpDate.write(seconds, bytes, length);
      length += HttpDate.LENGTH;
    } else {
      sound = false;
    }
    return line();
  }

  /** Adds a field of any name. */
  public HeadWriter field(byte[] name, byte[] value) {
    sound &= Octets.areToken(name, 0, name.length);
    raw(name, 0, name.length);
    return octet(':').octet(' ').value(value, 0, value.length).line();
  }

  /** Adds a field line that a view has checked. */
  public HeadWriter copy(FieldSection fields, int line) {
    raw(fields.bytes(), fields.nameStart(line), fields.nameEnd(line));
    octet(':').octet(' ');
    raw(fields.bytes(), fields.valueStart(line), fields.valueEnd(line));
    return line();
  }

  /** Adds the lines that are neither hop-by-hop nor listed in Connection (RFC 9110, 7.6.1). */
  public HeadWriter copyEndToEnd(FieldSection fields) {
    for (int i = 0; i < fields.count(); i++) {
      if (isEndToEnd(fields, i)) {
        copy(fields, i);
      }
    }
    return this;
  }

  /** Tells whether a line goes on to the next hop. */
  public static boolean isEndToEnd(FieldSection fields, int line) {
    Field field = fields.known(line);
    if (field != null && field.isHopByHop()) {
      return false;
    }
    int option = fields.first(Field.CONNECTION);
    while (option >= 0) {
      if (lists(fields, option, line)) {
        return false;
      }
      option = fields.next(Field.CONNECTION, option + 1);
    }
    return true;
  }

  private static boolean lists(FieldSection fields, int option, int line) {
    byte[] array = fields.bytes();
    int stop = fields.valueEnd(option);
    for (int at = fields.valueStart(option); at < stop; ) {
      int comma = ListCursor.comma(array, at, stop);
      int start = Octets.skipBlanks(array, at, comma);
      int end = Octets.dropBlanks(array, start, comma);
      if (Octets.same(array, start, end, array, fields.nameStart(line), fields.nameEnd(line))) {
        return true;
      }
      at = comma + 1;
    }
    return false;
  }

  /** Adds the empty line. */
  public HeadWriter end() {
    return line();
  }

  /** Adds a name and its colon; the value follows piece by piece, and then {@link #line}. */
  public HeadWriter name(Field field) {
    byte[] name = field.octets();
    raw(name, 0, name.length);
    return octet(':').octet(' ');
  }

  /** Adds a piece of a value. */
  public HeadWriter text(String ascii) {
    for (int i = 0; i < ascii.length(); i++) {
      char c = ascii.charAt(i);
      sound &= c < 0x80 && Octets.isField((byte) c);
      octet(c);
    }
    return this;
  }

  /** Adds a piece of a value. */
  public HeadWriter value(byte[] array, int start, int end) {
    sound &= Octets.areField(array, start, end);
    return raw(array, start, end);
  }

  /** Adds a number in decimal digits. */
  public HeadWriter number(long value) {
    if (value < 0) {
      octet('-');
    }
    long most = value < 0 ? value : -value; // negative numbers have one more
    long unit = 1;
    while (most / unit <= -10) {
      unit *= 10;
    }
    for (; unit > 0; unit /= 10) {
      octet('0' - (int) (most / unit % 10));
    }
    return this;
  }

  /** Ends a line. */
  public HeadWriter line() {
    return octet('\r').octet('\n');
  }

  /** Adds bytes that were checked before. */
  public HeadWriter raw(byte[] array, int start, int end) {
    if (end - start > bytes.length - length) {
      sound = false;
      return this;
    }
    System.arraycopy(array, start, bytes, length, end - start);
    length += end - start;
    return this;
  }

  private HeadWriter octet(int value) {
    if (length == bytes.length) {
      sound = false;
    } else {
      bytes[length++] = (byte) value;
    }
    return this;
  }

  /** Tells whether everything since {@link #begin} had room and was clean. */
  public boolean fits() {
    return sound;
  }

  /** The array; the head is {@code [0, length())}. */
  public byte[] bytes() {
    return bytes;
  }

  public int length() {
    return length;
  }
}
