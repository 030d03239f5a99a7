// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.etcd;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Collections;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.netserv.module.KeyFile;

/**
 * The key of a router at a store, and the authorities that certify the store's servers: all that
 * the file trusts, and all above the certificate of the key. No authority of the JDK counts.
 */
public final class EtcdKeys {
  private EtcdKeys() {}

  /**
   * Reads the key with its certificates.
   *
   * @param text PKCS #12 in base64
   * @param password of the file and its key
   * @throws IllegalArgumentException if there is no such file, no key in it, or no authority
   */
  public static SSLSocketFactory of(String text, String password) {
    KeyStore file = KeyFile.read(text, password);
    try {
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(file, password.toCharArray());
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(authorities(file));
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
      return context.getSocketFactory();
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("no key of TLS: " + e.getMessage(), e);
    }
  }

  private static KeyStore authorities(KeyStore file) throws GeneralSecurityException {
    KeyStore authorities = KeyStore.getInstance("PKCS12");
    try {
      authorities.load(null, null);
    } catch (IOException e) {
      throw new GeneralSecurityException(e); // an empty one is not read
    }
    for (String alias : Collections.list(file.aliases())) {
      Certificate[] chain = file.isKeyEntry(alias) ? file.getCertificateChain(alias) : null;
      for (int i = 1; chain != null && i < chain.length; i++) {
        authorities.setCertificateEntry(alias + " " + i, chain[i]);
      }
      if (file.isCertificateEntry(alias)) {
        authorities.setCertificateEntry(alias, file.getCertificate(alias));
      }
    }
    if (authorities.size() == 0) {
      throw new IllegalArgumentException("no authority in it that certifies the servers");
    }
    return authorities;
  }
}
