// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.X509ExtendedKeyManager;
import org.netserv.module.KeyFile;

/** The keys of the hosts that the edge serves, and the engines that use them. */
public final class HttpsKeys {
  /** Name of HTTP/2 in ALPN (RFC 9113, section 3.1). */
  static final String HTTP_2 = "h2";

  private static final String[] PROTOCOLS = {HTTP_2, "http/1.1"};

  private final SSLContext context;

  private HttpsKeys(SSLContext context) {
    this.context = context;
  }

  /**
   * Reads keys with their certificates.
   *
   * @param text PKCS #12 in base64, with a key for each certificate
   * @param password of the file and its keys
   * @throws IllegalArgumentException if there is no such file, or no key in it
   */
  public static HttpsKeys of(String text, String password) {
    KeyStore file = KeyFile.read(text, password);
    try {
      KeyManagerFactory factory =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      factory.init(file, password.toCharArray());
      KeyManager[] managers = factory.getKeyManagers();
      SSLContext context = SSLContext.getInstance("TLS");
      KeyManager chooser = new SniKeys(file, (X509ExtendedKeyManager) managers[0]);
      context.init(new KeyManager[] {chooser}, null, null);
      return new HttpsKeys(context);
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("no key of TLS: " + e.getMessage(), e);
    }
  }

  /** Returns an engine for one connection, TLS 1.2 or 1.3. */
  SSLEngine engine() {
    SSLEngine engine = context.createSSLEngine();
    engine.setUseClientMode(false);
    SSLParameters parameters = engine.getSSLParameters();
    parameters.setProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
    parameters.setApplicationProtocols(PROTOCOLS);
    parameters.setUseCipherSuitesOrder(true);
    engine.setSSLParameters(parameters);
    return engine;
  }
}
