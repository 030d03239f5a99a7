// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

import java.nio.ByteBuffer;
import org.netserv.serval.SalChecksum;
import org.netserv.serval.SalPacket;

/**
 * A TCP segment on its way out. A connection fills the same one again, so that data allocate
 * nothing. {@link Segment} has the picture.
 */
public final class OutgoingSegment {
  /** Bytes of the longest header: 20, and 40 of options. */
  public static final int LONGEST_HEADER = 60;

  private static final int NOP_1 = TcpOption.NOP << 24;
  private static final int NOP_2 = NOP_1 | (TcpOption.NOP << 16);

  private final int[] left = new int[TcpOption.BLOCKS];
  private final int[] right = new int[TcpOption.BLOCKS];
  private int sequence;
  private int acknowledgement;
  private int flags;
  private int window;
  private StreamOffer offer;
  private int blocks;
  private ByteRing bytes;
  private int length;

  /** Begins a segment without payload and options. The window is that of the header. */
  OutgoingSegment begin(int sequenceNumber, int expected, int flagBits, int windowField) {
    sequence = sequenceNumber;
    acknowledgement = expected;
    flags = flagBits;
    window = windowField;
    offer = null;
    blocks = 0;
    bytes = null;
    length = 0;
    return this;
  }

  /** Adds the options of a SYN. */
  OutgoingSegment offer(StreamOffer options) {
    offer = options;
    return this;
  }

  /** Adds a SACK block. One that has no room is left out. */
  OutgoingSegment block(int leftEdge, int rightEdge) {
    if (blocks < TcpOption.BLOCKS) {
      left[blocks] = leftEdge;
      right[blocks] = rightEdge;
      blocks++;
    }
    return this;
  }

  /** Adds the payload: bytes of the ring from the segment's sequence number on. */
  OutgoingSegment payload(ByteRing ring, int count) {
    bytes = ring;
    length = count;
    return this;
  }

  /** Returns the bytes of the payload. */
  public int length() {
    return length;
  }

  /**
   * Writes the segment.
   *
   * @param out big-endian, with room for the longest header and the payload
   * @return the index behind the segment
   */
  public int write(ByteBuffer out, int first, int sourceFlow, int destinationFlow) {
    int at = options(out, first + Segment.HEADER);
    out.putInt(first, 0);
    out.putInt(first + 4, sequence);
    out.putInt(first + 8, acknowledgement);
    out.putShort(first + 12, (short) ((((at - first) / 4) << 12) | flags));
    out.putShort(first + 14, (short) window);
    out.putInt(first + 16, 0);
    int stop = at + length;
    if (length > 0) {
      bytes.get(sequence, length, out, at);
    }
    int sum = SalChecksum.ofFlow(out, first, stop, SalPacket.TCP, sourceFlow, destinationFlow);
    out.putShort(first + 16, (short) sum);
    return stop;
  }

  /** Writes the options in whole words. The order in a SYN is that of the published stack. */
  private int options(ByteBuffer out, int from) {
    int at = from;
    if (offer != null) {
      out.putInt(at, (TcpOption.MSS << 24) | (4 << 16) | offer.mss());
      at += 4;
      if (offer.scale() != StreamOffer.NO_SCALE) {
        out.putInt(at, NOP_1 | (TcpOption.SCALE << 16) | (3 << 8) | offer.scale());
        at += 4;
      }
      if (offer.sack()) {
        out.putInt(at, NOP_2 | (TcpOption.SACK_PERMITTED << 8) | 2);
        at += 4;
      }
    }
    if (blocks > 0) {
      int size = 2 + 8 * blocks;
      out.putInt(at, NOP_2 | (TcpOption.SACK << 8) | size);
      at += 4;
      for (int i = 0; i < blocks; i++) {
        out.putInt(at, left[i]);
        out.putInt(at + 4, right[i]);
        at += 8;
      }
    }
    return at;
  }
}
