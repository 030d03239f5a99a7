// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * Chooses the sizes of reads. They follow the traffic, and the largest read fills one packet that
 * the kernel cuts, in both protocols. A few bytes more would travel as a second packet, and cost as
 * much on their way as all the others.
 *
 * <pre>
 *   Serval   45 segments of 1,400 bytes, each with 32 bytes of headers, are 64,440 bytes
 *   TCP      takes up to 64,260 bytes of IPv6, and 65,160 of IPv4
 * </pre>
 */
@SuppressWarnings("deprecation") // newHandle has this type
final class Reads extends AdaptiveRecvByteBufAllocator {
  /** The bytes of the largest read. */
  static final int MOST = 45 * Server.MSS;

  private static final int LEAST = 2048;
  private static final int STEP = 65_536; // the power of two from which the most is cut

  private static final int TOGETHER = 16; // reads before a flush, while the other side has room

  Reads() {
    super(LEAST, LEAST, STEP);
    maxMessagesPerRead(TOGETHER);
  }

  @Override
  public RecvByteBufAllocator.Handle newHandle() {
    return new Bounded(super.newHandle());
  }

  /** A handle whose buffers have at most {@link #MOST} bytes. */
  private static final class Bounded extends RecvByteBufAllocator.DelegatingHandle
      implements RecvByteBufAllocator.ExtendedHandle {
    Bounded(RecvByteBufAllocator.Handle handle) {
      super(handle);
    }

    @Override
    public int guess() {
      return Math.min(MOST, delegate().guess());
    }

    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
      return allocator.ioBuffer(guess());
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier maybeMore) {
      return ((RecvByteBufAllocator.ExtendedHandle) delegate()).continueReading(maybeMore);
    }
  }
}
