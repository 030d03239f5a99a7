// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import org.netserv.activecdn.core.Why;

/**
 * Waits for the handshake of TLS, and then gives its place to the version of HTTP that both sides
 * have agreed upon (ALPN, RFC 7301).
 */
@SuppressWarnings("FutureReturnValueIgnored") // the channel's events tell the outcome
final class Negotiator extends ChannelInboundHandlerAdapter {
  private final Clients clients;
  private final SslHandler tls;

  Negotiator(Clients clients, SslHandler tls) {
    this.clients = clients;
    this.tls = tls;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext at, Object event) {
    if (!(event instanceof SslHandshakeCompletionEvent handshake)) {
      at.fireUserEventTriggered(event);
      return;
    }
    clients.edge.count(handshake.isSuccess() ? Why.TLS_ACCEPTED : Why.TLS_FAILED);
    if (!handshake.isSuccess()) {
      at.close();
      return;
    }
    if (HttpsKeys.HTTP_2.equals(tls.engine().getApplicationProtocol())) {
      Http2Connection.install(at.pipeline(), clients);
    } else {
      at.pipeline().addLast(new ClientConnection(clients, tls));
      at.fireChannelActive();
    }
    at.pipeline().remove(this);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
    at.close();
  }
}
