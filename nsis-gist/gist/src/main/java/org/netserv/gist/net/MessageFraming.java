// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import java.nio.ByteOrder;

/**
 * Cuts the stream into messages (RFC 5971 section 5.4): bytes 2 and 3 of the common header are the
 * number of words after its 8 bytes. A longer one than allowed is refused when its length has come.
 */
final class MessageFraming extends LengthFieldBasedFrameDecoder {
  private static final int LENGTH = 2;
  private static final int LENGTH_BYTES = 2;
  private static final int HEADER_REST = 4;
  private static final int WORD = 4;

  private final Runnable cut;

  /**
   * Framing.
   *
   * @param messageMax bytes, common header included
   * @param cut called when the stream ends within a message
   */
  MessageFraming(int messageMax, Runnable cut) {
    super(messageMax, LENGTH, LENGTH_BYTES, HEADER_REST, 0, true);
    this.cut = cut;
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) throws Exception {
    if (actualReadableBytes() > 0) {
      cut.run();
    }
    super.channelInactive(ctx);
  }

  @Override
  protected long getUnadjustedFrameLength(ByteBuf in, int offset, int length, ByteOrder order) {
    return (long) WORD * in.getUnsignedShort(offset);
  }
}
