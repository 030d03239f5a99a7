// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;

/**
 * Reads the value of one object after the other. Nothing is read past the end of the object: that
 * is error 10/0. Offsets count from the object's own header, as those of error messages do.
 */
final class ObjectReader {
  static final int HEADER = 4;

  private final byte[] bytes;
  private int start;
  private int at;
  private int end;

  ObjectReader(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Goes to the value of the object whose header is at {@code start}; the caller has checked. */
  void open(int start, int end) {
    this.start = start;
    this.at = start + HEADER;
    this.end = end;
  }

  /** Goes back to the first byte of the value. */
  void rewind() {
    at = start + HEADER;
  }

  /** Where the next byte is, counted from the header of the object. */
  int offset() {
    return at - start;
  }

  int remaining() {
    return end - at;
  }

  int u8() throws GistFormatException {
    need(1);
    return NetworkOrder.get8(bytes, at++);
  }

  int u16() throws GistFormatException {
    need(2);
    at += 2;
    return NetworkOrder.get16(bytes, at - 2);
  }

  long u32() throws GistFormatException {
    need(4);
    at += 4;
    return Integer.toUnsignedLong(NetworkOrder.get32(bytes, at - 4));
  }

  byte[] take(int length) throws GistFormatException {
    need(length);
    at += length;
    return Arrays.copyOfRange(bytes, at - length, at);
  }

  byte[] takeRest() {
    byte[] rest = Arrays.copyOfRange(bytes, at, end);
    at = end;
    return rest;
  }

  /** An address; {@code version} is 4 or 6. */
  InetAddress address(int version) throws GistFormatException {
    return IpAddresses.of(take(IpAddresses.bytes(version)));
  }

  /** Skips what fills up the last word; its content does not matter. */
  void skipPadding() throws GistFormatException {
    int length = NetworkOrder.padded(offset()) - offset();
    need(length);
    at += length;
  }

  /** The object must end here. */
  void done() throws GistFormatException {
    if (at != end) {
      throw bad(GistError.INCORRECT_LENGTH, offset(), "object goes on after its contents");
    }
  }

  /** An Object Value Error, with a copy of this object. */
  GistFormatException bad(GistError error, int offset, String message) {
    return new GistFormatException(error, List.of(info(offset)), message);
  }

  /** This object as additional information. */
  ErrorInfo info(int offset) {
    int length = Math.min(end - start, ErrorInfo.OBJECT_MAX);
    return ErrorInfo.objectValue(offset, Arrays.copyOfRange(bytes, start, start + length));
  }

  private void need(int length) throws GistFormatException {
    if (end - at < length) {
      throw bad(GistError.INCORRECT_LENGTH, offset(), "object is shorter than its contents");
    }
  }
}
