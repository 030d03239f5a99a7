// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import io.netty.channel.Channel;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLException;

/**
 * TLS of links: 1.2 and 1.3 of the JDK, a certificate on both sides. The server asks for the
 * client's; one that shows none completes the handshake and is refused then, as everybody whom the
 * list of authorised peers has not.
 */
final class LinkTls {
  private final SslContext client;
  private final SslContext server;
  private final Executor handshakes;
  private final Duration timeout;

  LinkTls(
      NodeCertificate certificate, AuthorisedPeers peers, Executor handshakes, Duration timeout) {
    this.handshakes = handshakes;
    this.timeout = timeout;
    X509Certificate[] chain = certificate.chain().toArray(new X509Certificate[0]);
    try {
      client =
          common(SslContextBuilder.forClient(), peers)
              .keyManager(certificate.key(), chain)
              // A peer is known by the list, not by the address that its NLI has.
              .endpointIdentificationAlgorithm(null)
              .build();
      server =
          common(SslContextBuilder.forServer(certificate.key(), chain), peers)
              .clientAuth(ClientAuth.OPTIONAL)
              .build();
    } catch (SSLException e) {
      throw new IllegalArgumentException("not a certificate for TLS", e);
    }
  }

  SslHandler client(Channel channel, InetSocketAddress peer) {
    return handler(client, channel, peer);
  }

  SslHandler server(Channel channel, InetSocketAddress peer) {
    return handler(server, channel, peer);
  }

  private SslHandler handler(SslContext context, Channel channel, InetSocketAddress peer) {
    SslHandler handler =
        context.newHandler(
            channel.alloc(), peer.getAddress().getHostAddress(), peer.getPort(), handshakes);
    handler.setHandshakeTimeoutMillis(timeout.toMillis());
    return handler;
  }

  private static SslContextBuilder common(SslContextBuilder builder, AuthorisedPeers peers) {
    return builder
        .sslProvider(SslProvider.JDK)
        .protocols("TLSv1.3", "TLSv1.2")
        .trustManager(new PeerTrust(peers));
  }
}
