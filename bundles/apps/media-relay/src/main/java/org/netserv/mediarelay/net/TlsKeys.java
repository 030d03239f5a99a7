// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.netserv.module.KeyFile;

/**
 * The relay's key and certificate, and the engines that use them. ALPN is {@code stun.turn} (RFC
 * 7443): a client that offers other protocols only is refused, and a client that offers none is
 * served.
 */
public final class TlsKeys {
  /**
   * Number of DTLS contexts. A cookie that one context has made is worth nothing in another one,
   * and the client's address chooses the context.
   */
  static final int DTLS_CONTEXTS = 64;

  private static final String[] PROTOCOLS = {"stun.turn", "stun.nat-discovery"};

  private final KeyManager[] keys;
  private final SSLContext tls;
  private final SSLContext[] dtls = new SSLContext[DTLS_CONTEXTS];

  private TlsKeys(KeyManager[] keys) throws GeneralSecurityException {
    this.keys = keys.clone();
    tls = context("TLS");
    for (int i = 0; i < dtls.length; i++) {
      dtls[i] = context("DTLSv1.2");
    }
  }

  private SSLContext context(String protocol) throws GeneralSecurityException {
    SSLContext context = SSLContext.getInstance(protocol);
    context.init(keys, null, null);
    return context;
  }

  /**
   * Reads a key and its certificates.
   *
   * @param text PKCS #12 in base64, with one key
   * @param password of the file and the key
   * @throws IllegalArgumentException if there is no such key
   */
  public static TlsKeys of(String text, String password) {
    KeyStore store = KeyFile.read(text, password);
    try {
      KeyManagerFactory factory =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      factory.init(store, password.toCharArray());
      return new TlsKeys(factory.getKeyManagers());
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("no key of TLS: " + e.getMessage(), e);
    }
  }

  /** Returns an engine for one TLS connection. */
  SSLEngine tls() {
    return server(tls, 0);
  }

  /**
   * Returns an engine for one DTLS session.
   *
   * @param choice chooses the context, any number
   * @param packet bytes of the largest datagram of a handshake
   */
  SSLEngine dtls(int choice, int packet) {
    return server(dtls[Math.floorMod(choice, dtls.length)], packet);
  }

  private static SSLEngine server(SSLContext context, int packet) {
    SSLEngine engine = context.createSSLEngine();
    engine.setUseClientMode(false);
    SSLParameters parameters = engine.getSSLParameters();
    parameters.setApplicationProtocols(PROTOCOLS);
    if (packet > 0) {
      parameters.setMaximumPacketSize(packet);
    }
    engine.setSSLParameters(parameters);
    return engine;
  }
}
