// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.timeout.IdleStateEvent;
import org.netserv.translator.core.Outcome;
import org.netserv.translator.core.RelayTransitions.Event;

/**
 * Carries the bytes that one side sends to the other one. A side is not read while the other one
 * has more than its high-water mark of bytes to write, so each direction keeps that mark and one
 * read at most, beside the buffers of both sockets.
 */
final class RelaySide extends ChannelInboundHandlerAdapter {
  private final Relay relay;
  private final Event end;
  private volatile Channel channel; // null = not dialled yet
  private volatile Channel other; // null = not open yet

  /** Makes the handler of a side. {@code end} is the event that this side has sent all. */
  RelaySide(Relay relay, Event end) {
    this.relay = relay;
    this.end = end;
  }

  void channel(Channel own) {
    channel = own;
  }

  Channel channel() {
    return channel;
  }

  /** Begins to read for another channel. */
  void start(Channel to) {
    other = to;
    channel.config().setAutoRead(true);
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // a failure comes to the other side's handler
  public void channelRead(ChannelHandlerContext context, Object message) {
    other.write(message, other.voidPromise());
    if (!other.isWritable()) {
      channel.config().setAutoRead(false);
      if (other.isWritable()) { // it may have turned writable on its own thread meanwhile
        channel.config().setAutoRead(true);
      }
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (other != null) {
      other.flush();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    Channel reads = other;
    if (reads != null && channel.isWritable()) {
      reads.config().setAutoRead(true);
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      relay.on(end, null);
    } else if (event instanceof IdleStateEvent) {
      relay.on(Event.IDLE, Outcome.IDLE);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    relay.on(Event.BROKEN, Outcome.BROKEN);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    relay.on(Event.BROKEN, Outcome.BROKEN);
  }
}
