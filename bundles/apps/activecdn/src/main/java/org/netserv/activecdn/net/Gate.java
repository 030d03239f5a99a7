// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.util.AttributeKey;
import io.netty.util.NetUtil;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import org.netserv.activecdn.core.Why;

/**
 * Admits a connection or closes it. The first handler, in front of TLS. A connection from a
 * balancer names its client in a header of the PROXY protocol (version 1 or 2), and belongs to that
 * client from then on.
 *
 * <pre>
 *   connected --> a place is free? --> from a balancer: header --> share of the client? --> open
 *                    | no                  | bad, or late             | no
 *                    +---------------------+--------------------------+--> closed, counted
 * </pre>
 */
@SuppressWarnings("FutureReturnValueIgnored") // the channel's events tell the outcome
final class Gate extends ChannelInboundHandlerAdapter implements Swept {
  private static final AttributeKey<String> CLIENT = AttributeKey.valueOf(Gate.class, "client");

  private final Clients clients;
  private ChannelHandlerContext context;
  private boolean entered; // has a place
  private boolean waiting; // for the header
  private String admitted; // the address, null = not admitted
  private long since; // ticks at which the connection came

  Gate(Clients clients) {
    this.clients = clients;
  }

  /** The address of an admitted connection's client, in text. */
  static String address(Channel channel) {
    return channel.attr(CLIENT).get();
  }

  /** The address of the other end, in text. */
  private static String peer(Channel channel) {
    SocketAddress remote = channel.remoteAddress();
    return remote instanceof InetSocketAddress inet
        ? inet.getAddress().getHostAddress()
        : String.valueOf(remote);
  }

  @Override
  public void channelActive(ChannelHandlerContext active) {
    context = active;
    if (!clients.enter()) {
      active.close();
      return;
    }
    entered = true;
    if (clients.settings.isBalancer(active.channel().remoteAddress())) {
      waiting = true;
      since = clients.edge.time().ticks();
      clients.add(this);
      active.pipeline().addBefore(active.name(), null, new HAProxyMessageDecoder());
    } else {
      open(peer(active.channel()));
    }
  }

  private void open(String address) {
    if (clients.share(address)) {
      admitted = address;
      context.channel().attr(CLIENT).set(address);
      context.fireChannelActive();
    } else {
      context.close();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext from, Object message) {
    if (message instanceof HAProxyMessage header) {
      String client = client(header);
      header.release();
      waiting = false;
      clients.remove(this);
      open(client);
    } else if (admitted != null) {
      from.fireChannelRead(message);
    } else {
      ReferenceCountUtil.release(message); // came behind the header of a client without a share
    }
  }

  /** Reads the client's address, which a health check of the balancer's own does not have. */
  private String client(HAProxyMessage header) {
    String text = header.sourceAddress();
    byte[] bytes = text == null ? null : NetUtil.createByteArrayFromIpAddressString(text);
    try {
      return bytes == null
          ? peer(context.channel())
          : InetAddress.getByAddress(bytes).getHostAddress();
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address has 4 or 16 bytes", e);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
    if (waiting) {
      refuse();
    } else {
      at.fireExceptionCaught(cause);
    }
  }

  private void refuse() {
    waiting = false;
    clients.edge.count(Why.REFUSED_PROXY);
    context.close();
  }

  @Override
  public void sweep(long now) {
    if (waiting && now - since > clients.settings.head()) {
      refuse();
    }
  }

  @Override
  public void close() {
    context.close();
  }

  @Override
  public void channelInactive(ChannelHandlerContext gone) {
    clients.remove(this);
    waiting = false;
    if (entered) {
      entered = false;
      clients.leave(admitted);
    }
    if (admitted != null) {
      admitted = null;
      gone.fireChannelInactive();
    }
  }
}
