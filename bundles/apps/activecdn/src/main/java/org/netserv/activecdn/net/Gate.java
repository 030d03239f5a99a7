// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** Admits a connection or closes it. The first handler, in front of TLS. */
@SuppressWarnings("FutureReturnValueIgnored") // the channel's events tell the outcome
final class Gate extends ChannelInboundHandlerAdapter {
  private final Clients clients;
  private String admitted; // the address, null = not admitted

  Gate(Clients clients) {
    this.clients = clients;
  }

  /** The address of a connection's client, in text. */
  static String address(Channel channel) {
    SocketAddress remote = channel.remoteAddress();
    return remote instanceof InetSocketAddress inet
        ? inet.getAddress().getHostAddress()
        : String.valueOf(remote);
  }

  @Override
  public void channelActive(ChannelHandlerContext active) {
    String address = address(active.channel());
    if (clients.admit(address)) {
      admitted = address;
      active.fireChannelActive();
    } else {
      active.close();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext gone) {
    if (admitted != null) {
      clients.leave(admitted);
      admitted = null;
      gone.fireChannelInactive();
    }
  }
}
