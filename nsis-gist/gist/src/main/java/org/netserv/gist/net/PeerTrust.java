// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import java.net.InetAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Asks the list of authorised peers during the handshake, so that TLS tells a peer that it is not
 * on the list. The check after the handshake decides, because a resumed session does not come by
 * here.
 */
final class PeerTrust extends X509ExtendedTrustManager {
  /** The peer is not on the list. */
  static final class UnauthorisedException extends CertificateException {
    UnauthorisedException() {
      super("not an authorised peer");
    }
  }

  private final AuthorisedPeers peers;

  PeerTrust(AuthorisedPeers peers) {
    this.peers = peers;
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String exchange, SSLEngine engine)
      throws CertificateException {
    judge(chain, engine, false);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String exchange, SSLEngine engine)
      throws CertificateException {
    judge(chain, engine, true);
  }

  /** Judges a peer by its address, with which the engine was made in place of the peer's name. */
  private void judge(X509Certificate[] chain, SSLEngine engine, boolean server)
      throws CertificateException {
    try {
      InetAddress address = InetAddress.getByName(engine.getPeerHost());
      if (peers.admit(List.of(chain), address, server).isEmpty()) {
        throw new UnauthorisedException();
      }
    } catch (UnknownHostException e) {
      throw new CertificateException("an address that is none", e);
    }
  }

  // Without an engine the peer's address is not known.

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String exchange)
      throws CertificateException {
    throw new UnauthorisedException();
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String exchange)
      throws CertificateException {
    throw new UnauthorisedException();
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String exchange, Socket socket)
      throws CertificateException {
    throw new UnauthorisedException();
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String exchange, Socket socket)
      throws CertificateException {
    throw new UnauthorisedException();
  }

  /**
   * Returns none, because issuers would only be a hint for the client and tell strangers our
   * anchors.
   */
  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return new X509Certificate[0];
  }
}
