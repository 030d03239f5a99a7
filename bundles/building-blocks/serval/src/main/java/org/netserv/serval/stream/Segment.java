// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

import java.nio.ByteBuffer;
import org.netserv.serval.SalChecksum;
import org.netserv.serval.SalPacket;

/**
 * A view of a TCP segment behind a SAL header (RFC 9293 section 3.1). Ports are 0 and not checked,
 * because the flowIDs have found the stream. The checksum has the flowIDs in the place of the
 * addresses.
 *
 * <pre>
 *    0  ports, 0    4 sequence    8 acknowledgement
 *   12  words of the header (4 bits), flags (12 bits)   14 window   16 checksum   18 urgent pointer
 *   20  options, then the payload
 * </pre>
 *
 * {@link #reset} checks each length once. The view holds until the next reset, or until the bytes
 * change. It allocates nothing.
 */
public final class Segment {
  /** Bytes without options. */
  static final int HEADER = 20;

  private final int[] left = new int[TcpOption.BLOCKS];
  private final int[] right = new int[TcpOption.BLOCKS];
  private ByteBuffer buffer;
  private int start;
  private int payload;
  private int end;
  private int mss;
  private int scale;
  private boolean sackPermitted;
  private int blocks;

  /**
   * Points the view at {@code [first, stop)}, which lies inside the buffer.
   *
   * @param bytes big-endian
   * @return OK, or the refusal. Only an OK segment may be read
   */
  public SegmentFault reset(
      ByteBuffer bytes, int first, int stop, int sourceFlow, int destinationFlow) {
    buffer = bytes;
    start = first;
    end = stop;
    mss = 0;
    scale = StreamOffer.NO_SCALE;
    sackPermitted = false;
    blocks = 0;
    if (stop - first < HEADER) {
      return SegmentFault.SHORT;
    }
    int header = (bytes.get(first + 12) & 0xf0) >>> 2;
    if (header < HEADER || header > stop - first) {
      return SegmentFault.OFFSET;
    }
    payload = first + header;
    int sum = SalChecksum.ofFlow(bytes, first, stop, SalPacket.TCP, sourceFlow, destinationFlow);
    return sum == 0 ? options() : SegmentFault.CHECKSUM;
  }

  /** Points the view behind the header of a packet. */
  public SegmentFault reset(SalPacket packet) {
    return reset(
        packet.buffer(),
        packet.transport(),
        packet.end(),
        packet.sourceFlow(),
        packet.destinationFlow());
  }

  private SegmentFault options() {
    int at = start + HEADER;
    while (at < payload) {
      int kind = buffer.get(at) & 0xff;
      if (kind == TcpOption.END) {
        return SegmentFault.OK;
      }
      if (kind == TcpOption.NOP) {
        at++;
        continue;
      }
      int length = payload - at < 2 ? 0 : buffer.get(at + 1) & 0xff;
      if (length < 2 || length > payload - at || !option(kind, at + 2, length - 2)) {
        return SegmentFault.OPTION;
      }
      at += length;
    }
    return SegmentFault.OK;
  }

  /** Reads an option. False if its value cannot have so many bytes. */
  private boolean option(int kind, int value, int length) {
    switch (kind) {
      case TcpOption.MSS -> {
        mss = length == 2 ? buffer.getShort(value) & 0xffff : 0;
        return length == 2;
      }
      case TcpOption.SCALE -> {
        scale = length == 1 ? buffer.get(value) & 0xff : StreamOffer.NO_SCALE;
        return length == 1;
      }
      case TcpOption.SACK_PERMITTED -> {
        sackPermitted = true;
        return length == 0;
      }
      case TcpOption.SACK -> {
        return sack(value, length);
      }
      default -> {
        return true;
      }
    }
  }

  private boolean sack(int value, int length) {
    if (length == 0 || length % 8 != 0) {
      return false;
    }
    blocks = Math.min(TcpOption.BLOCKS, length / 8);
    for (int i = 0; i < blocks; i++) {
      left[i] = buffer.getInt(value + 8 * i);
      right[i] = buffer.getInt(value + 8 * i + 4);
    }
    return true;
  }

  int sequence() {
    return buffer.getInt(start + 4);
  }

  int acknowledgement() {
    return buffer.getInt(start + 8);
  }

  boolean has(int flag) {
    return (buffer.get(start + 13) & flag) != 0;
  }

  /** Returns the window as it stands in the header, without scale. */
  int window() {
    return buffer.getShort(start + 14) & 0xffff;
  }

  /** Returns the sequence numbers that payload, SYN and FIN take. */
  int span() {
    return length() + (has(TcpFlags.SYN) ? 1 : 0) + (has(TcpFlags.FIN) ? 1 : 0);
  }

  ByteBuffer buffer() {
    return buffer;
  }

  /** Returns the index of the payload. */
  int payload() {
    return payload;
  }

  /** Returns the bytes of the payload. */
  int length() {
    return end - payload;
  }

  /** Returns the options of a SYN, with the defaults of those that are absent. */
  StreamOffer offer() {
    return new StreamOffer(mss == 0 ? StreamOffer.DEFAULT_MSS : mss, scale, sackPermitted);
  }

  /** Returns the number of SACK blocks. */
  int blocks() {
    return blocks;
  }

  int left(int block) {
    return left[block];
  }

  int right(int block) {
    return right[block];
  }
}
