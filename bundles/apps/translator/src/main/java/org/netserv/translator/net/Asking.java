// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator.net;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.netserv.translator.core.Admission;
import org.netserv.translator.core.Limits;
import org.netserv.translator.core.Outcome;

/**
 * The first handler of a TCP connection for questions. Admits the connection or closes it, and
 * frees its place at its end. These places are apart from those of relayed connections.
 */
@SuppressWarnings("FutureReturnValueIgnored") // nothing waits for the end of a connection
final class Asking extends ChannelInboundHandlerAdapter {
  static final int CONNECTIONS = 64;
  static final int PER_SOURCE = 8;

  private static final Limits LIMITS = new Limits(CONNECTIONS, PER_SOURCE, 0, 0, 0, 0);

  private final Relays relays;
  private final Admission admission;
  private InetAddress source; // null without a place

  Asking(Relays relays, Admission admission) {
    this.relays = relays;
    this.admission = admission;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    InetAddress from = ((InetSocketAddress) context.channel().remoteAddress()).getAddress();
    if (admission.enter(from, LIMITS) == null) {
      source = from;
      context.fireChannelActive();
    } else {
      relays.count(Outcome.DNS_FULL);
      context.close();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (source != null) {
      admission.leave(source);
      source = null;
    }
    context.fireChannelInactive();
  }
}
