// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator.net;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ConnectTimeoutException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.netserv.translator.core.Limits;
import org.netserv.translator.core.Outcome;
import org.netserv.translator.core.RelayTransitions.Event;

/**
 * The first handler of a connection that has come. Admits it, and connects to the other side.
 *
 * <pre>
 *   active --> a destination? --> a place? --> connect --> relay
 *                 | no              | no          | fails
 *                 +-----------------+-------------+--> RST, counted
 * </pre>
 */
@SuppressWarnings("FutureReturnValueIgnored") // the channels' events tell the outcome
final class Dialer extends ChannelInboundHandlerAdapter {
  /** Returns the destination of a connection, or null. */
  interface Directory {
    SocketAddress find(Channel accepted);
  }

  private final Relays relays;
  private final Limits limits;
  private final Directory directory;
  private final Bootstrap bootstrap;
  private final Outcome opened;

  /**
   * Makes the handler of one connection.
   *
   * @param bootstrap of the other side, without a handler
   * @param opened counted when the other side answers
   */
  Dialer(Relays relays, Limits limits, Directory directory, Bootstrap bootstrap, Outcome opened) {
    this.relays = relays;
    this.limits = limits;
    this.directory = directory;
    this.bootstrap = bootstrap;
    this.opened = opened;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    Channel client = context.channel();
    SocketAddress to = directory.find(client);
    InetAddress source = ((InetSocketAddress) client.remoteAddress()).getAddress();
    if (to == null) {
      relays.count(Outcome.NO_SERVICE);
      Relay.breakOff(client);
    } else if (!relays.admit(source, limits)) {
      Relay.breakOff(client);
    } else {
      Relay relay = new Relay(relays, source, client, opened);
      relays.add(relay);
      context.pipeline().replace(this, "relay", relay.client());
      dial(relay, to);
    }
  }

  private void dial(Relay relay, SocketAddress to) {
    ChannelFuture connected =
        bootstrap
            .clone()
            .handler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    Sockets.watch(channel, limits);
                    channel.pipeline().addLast("relay", relay.server());
                  }
                })
            .connect(to);
    relay.dialled(connected.channel());
    connected.addListener(
        done -> {
          if (done.isSuccess()) {
            relay.on(Event.CONNECTED, null);
          } else {
            relay.on(Event.FAILED, reason(done.cause()));
          }
        });
  }

  private static Outcome reason(Throwable cause) {
    if (cause instanceof ConnectTimeoutException) {
      return Outcome.CONNECT_LATE;
    }
    return cause instanceof IllegalStateException ? Outcome.NO_FLOW : Outcome.CONNECT_REFUSED;
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.close(); // it has broken off before it was admitted
  }
}
