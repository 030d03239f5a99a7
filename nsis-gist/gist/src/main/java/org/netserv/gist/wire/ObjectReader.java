// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;

/**
 * Reads the value of one object after the other. A read past the end of the object is error 10/0.
 * Offsets count from the object's own header, as in error messages.
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

  /**
   * Goes to the value of the object that has its header at {@code start}. The caller has checked
   * it.
   */
  void open(int start, int end) {
    this.start = start;
    this.at = start + HEADER;
    this.end = end;
  }

  /** Goes back to the first byte of the value. */
  void rewind() {
    at = start + HEADER;
  }

  /** Returns the offset of the next byte from the header of the object. */
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

  /** Reads an address; {@code version} is 4 or 6. */
  InetAddress address(int version) throws GistFormatException {
    return IpAddresses.of(take(IpAddresses.bytes(version)));
  }

  /** Skips the bytes that fill up the last word. Their content does not matter. */
  void skipPadding() throws GistFormatException {
    int length = NetworkOrder.padded(offset()) - offset();
    need(length);
    at += length;
  }

  /** Verifies that the object ends here. */
  void done() throws GistFormatException {
    if (at != end) {
      throw bad(GistError.INCORRECT_LENGTH, offset(), "object goes on after its contents");
    }
  }

  /** Makes an Object Value Error, with a copy of this object. */
  GistFormatException bad(GistError error, int offset, String message) {
    return new GistFormatException(error, List.of(info(offset)), message);
  }

  /** Returns this object as additional information. */
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
