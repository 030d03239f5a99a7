// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.netserv.gist.association.AssociationCounters.Counter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The last handler of the pipeline. It tells the link the events of its connection. */
final class NettyLinkHandler extends SimpleChannelInboundHandler<ByteBuf> {
  private static final Logger LOG = LoggerFactory.getLogger(NettyLinkHandler.class);

  /** The words of the JDK for an alert that the peer sent. */
  private static final Pattern ALERT = Pattern.compile("Received fatal alert: (\\w+)");

  private static final Set<String> ABOUT_CERTIFICATES =
      Set.of(
          "bad_certificate",
          "unsupported_certificate",
          "certificate_revoked",
          "certificate_expired",
          "certificate_unknown",
          "unknown_ca",
          "access_denied",
          "certificate_required");

  private final NettyLink link;
  private final SslHandler tls;

  /**
   * Creates a handler.
   *
   * @param tls null: without
   */
  NettyLinkHandler(NettyLink link, SslHandler tls) {
    this.link = link;
    this.tls = tls;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    if (tls == null) {
      link.connected();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof SslHandshakeCompletionEvent handshake) {
      if (handshake.isSuccess()) {
        link.connected(shown());
      } else {
        failed(handshake.cause());
      }
    }
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
    link.received(ByteBufUtil.getBytes(message));
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    link.fail(null, "closed by the peer");
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    failed(
        cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause);
  }

  private void failed(Throwable cause) {
    if (cause instanceof TooLongFrameException) {
      link.fail(Counter.MESSAGE_TOO_LONG, "the peer sent a message that is too long");
    } else if (cause instanceof SSLException) {
      if (unauthorised(cause)) {
        link.refuse(Counter.PEER_UNAUTHORISED, "not an authorised peer");
      } else if (refusesUs(cause)) {
        link.unwelcome("TLS: " + cause.getMessage());
      } else {
        link.fail(Counter.TLS_FAILED, "TLS: " + cause.getMessage());
      }
    } else if (cause instanceof IOException) {
      link.fail(null, String.valueOf(cause.getMessage()));
    } else {
      LOG.error("link failed", cause);
      link.fail(null, "internal error");
    }
  }

  private static boolean unauthorised(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof PeerTrust.UnauthorisedException) {
        return true;
      }
    }
    return false;
  }

  /** Finds the alerts of RFC 8446 section 6.2 by which a peer refuses our certificate. */
  private static boolean refusesUs(Throwable failure) {
    Matcher alert = ALERT.matcher(String.valueOf(failure.getMessage()));
    return alert.find() && ABOUT_CERTIFICATES.contains(alert.group(1));
  }

  /** Returns the peer's certificates, its own first. Returns none when the peer showed none. */
  private List<X509Certificate> shown() {
    List<X509Certificate> chain = new ArrayList<>();
    try {
      for (Certificate certificate : tls.engine().getSession().getPeerCertificates()) {
        if (certificate instanceof X509Certificate x509) {
          chain.add(x509);
        }
      }
    } catch (SSLPeerUnverifiedException e) {
      return List.of();
    }
    return chain;
  }
}
