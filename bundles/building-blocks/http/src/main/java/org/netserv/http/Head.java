// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

/**
 * The part that the heads of requests and responses share (RFC 9112, 2 and 5): a start line, field
 * lines, the message's framing. Belongs to one thread.
 */
public abstract sealed class Head permits RequestHead, ResponseHead {
  final HeadLimits limits;
  final FieldSection fields;
  final Framing framing = new Framing();
  byte[] bytes = new byte[0];
  int minor;

  Head(HeadLimits limits) {
    this.limits = limits;
    this.fields = new FieldSection(limits.fields());
  }

  /**
   * Reads a head.
   *
   * @param start index of the first byte
   * @param stop index behind the last byte received
   * @return OK, MORE, or the fault
   */
  public final HeadError reset(byte[] array, int start, int stop) {
    if (start < 0 || stop < start || stop > array.length) {
      return HeadError.RANGE;
    }
    bytes = array;
    int last = (int) Math.min(stop, (long) start + limits.bytes());
    HeadError error = read(start, last);
    return error == HeadError.MORE && last - start == limits.bytes()
        ? HeadError.HEAD_TOO_LARGE
        : error;
  }

  abstract HeadError read(int start, int last);

  /** Reads the field lines behind a start line, and what they say of the framing. */
  final HeadError readFields(int start, int last) {
    HeadError error = fields.reset(bytes, start, last);
    return error == HeadError.OK ? framing.reset(fields, minor) : error;
  }

  public final byte[] bytes() {
    return bytes;
  }

  /** The digit behind "HTTP/1.". */
  public final int minor() {
    return minor;
  }

  public final FieldSection fields() {
    return fields;
  }

  /** Tells whether the connection may carry another request (RFC 9112, 9.3). */
  public final boolean persists() {
    if (framing.hasOption(fields, "close")) {
      return false;
    }
    return minor > 0 || framing.hasOption(fields, "keep-alive");
  }

  /** Index behind the head: the content's first byte. */
  public final int end() {
    return fields.end();
  }
}
