// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import org.netserv.http.ChunkedWriter;

/** Writes content to a channel, as chunks or as it is. */
@SuppressWarnings("FutureReturnValueIgnored") // the channel's events tell the outcome
final class Chunks {
  private static final byte[] LINE = {'\r', '\n'};
  private static final byte[] LAST = {'0', '\r', '\n', '\r', '\n'};

  private Chunks() {}

  /**
   * Writes a piece.
   *
   * @param copied whether the bytes may change after the call
   */
  static void write(
      ChannelHandlerContext to, boolean chunked, byte[] bytes, int from, int end, boolean copied) {
    if (chunked) {
      byte[] head = new byte[ChunkedWriter.HEAD];
      int length = ChunkedWriter.head(end - from, head, 0);
      to.write(Unpooled.wrappedBuffer(head, 0, length), to.voidPromise());
    }
    ByteBuf piece =
        copied
            ? to.alloc().buffer(end - from).writeBytes(bytes, from, end - from)
            : Unpooled.wrappedBuffer(bytes, from, end - from);
    to.write(piece, to.voidPromise());
    if (chunked) {
      to.write(Unpooled.wrappedBuffer(LINE), to.voidPromise());
    }
  }

  /** Writes the last chunk. */
  static void end(ChannelHandlerContext to) {
    to.write(Unpooled.wrappedBuffer(LAST), to.voidPromise());
  }
}
