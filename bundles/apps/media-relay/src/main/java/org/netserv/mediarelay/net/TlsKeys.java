// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.Objects;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import org.netserv.module.KeyFile;

/**
 * The relay's key and certificate, and the engines that use them. ALPN is {@code stun.turn} (RFC
 * 7443): a client that offers other protocols only is refused, and a client that offers none is
 * served. A context of DTLS is made for its first client, because the start of a relay is a silence
 * to the calls of an earlier one.
 *
 * <p><b>Threads.</b> Engines of DTLS are made by whoever holds the relay's lock.
 */
public final class TlsKeys {
  /**
   * Number of DTLS contexts. A cookie that one context has made is worth nothing in another one,
   * and the client's address chooses the context.
   */
  static final int DTLS_CONTEXTS = 64;

  private static final String[] PROTOCOLS = {"stun.turn", "stun.nat-discovery"};

  /** Trust in no client's certificate. The default is to read all authorities of the machine. */
  private static final TrustManager[] NOBODY = {};

  private final KeyManager[] keys;
  private final SSLContext tls;
  private final SSLContext[] dtls = new SSLContext[DTLS_CONTEXTS];

  private TlsKeys(KeyManager[] keys) throws GeneralSecurityException {
    this.keys = keys.clone();
    tls = context("TLS");
  }

  private SSLContext context(String protocol) throws GeneralSecurityException {
    SSLContext context = SSLContext.getInstance(protocol);
    context.init(keys, NOBODY, null);
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
    int at = Math.floorMod(choice, dtls.length);
    if (dtls[at] == null) {
      dtls[at] = dtlsContext();
    }
    return server(dtls[at], packet);
  }

  private SSLContext dtlsContext() {
    try {
      return context("DTLSv1.2");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has DTLS 1.2 for the key of a TLS context", e);
    }
  }

  /** Returns the number of contexts of DTLS that have had a client. */
  int dtlsContexts() {
    return (int) Arrays.stream(dtls).filter(Objects::nonNull).count();
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
