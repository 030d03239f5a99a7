// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.etcd;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A key of the JDK's keytool, certified by itself, and the certificates that its owner trusts. */
final class TestKeys {
  static final String PASSWORD = "password";

  private static final String NAME = "own";

  private final KeyStore store;

  private TestKeys(KeyStore store) {
    this.store = store;
  }

  /** Makes a key. Its certificate names an address. */
  static TestKeys make(Path directory, String name, String address) throws Exception {
    Path file = directory.resolve(name + ".p12");
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    Process process =
        new ProcessBuilder(
                List.of(
                    keytool,
                    "-J-XX:TieredStopAtLevel=1",
                    "-genkeypair",
                    "-alias",
                    NAME,
                    "-keyalg",
                    "EC",
                    "-dname",
                    "CN=" + name,
                    "-ext",
                    "san=ip:" + address,
                    "-storetype",
                    "PKCS12",
                    "-storepass",
                    PASSWORD,
                    "-keystore",
                    file.toString()))
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(said);
    }
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD.toCharArray());
    }
    return new TestKeys(store);
  }

  TestKeys trusts(String name, TestKeys other) throws GeneralSecurityException {
    store.setCertificateEntry(name, other.store.getCertificate(NAME));
    return this;
  }

  /** Returns the property of a module. */
  String text() throws GeneralSecurityException, IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    store.store(bytes, PASSWORD.toCharArray());
    return Base64.getEncoder().encodeToString(bytes.toByteArray());
  }

  /** Returns the context of a server. */
  SSLContext context() throws GeneralSecurityException {
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, PASSWORD.toCharArray());
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }
}
