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
 * TLS of links: 1.2 and 1.3 of the JDK, with a certificate on both sides. The server asks for the
 * client's certificate. A client without a certificate completes the handshake and is then refused,
 * like any peer that is not on the list of authorised peers.
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
              // The list identifies a peer, not the address in its NLI.
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
