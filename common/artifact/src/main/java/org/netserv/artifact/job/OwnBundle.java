// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.job;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.netserv.artifact.BundleSigner;
import org.netserv.artifact.Certificates;
import org.netserv.artifact.refusal.VerifyException;
import org.netserv.artifact.zip.ZipItem;
import org.netserv.artifact.zip.ZipWriter;
import org.netserv.values.PublisherKeys;

/**
 * A bundle of the node's own, signed with a key that is made for it. The rehearsal and spare jobs
 * verify it, and no container ever sees it.
 */
final class OwnBundle {
  static final String NAME = "org.netserv.rehearsal";
  static final String VERSION = "1.0.0";

  private final byte[] jar;
  private final String anchor;

  private OwnBundle(byte[] jar, String anchor) {
    this.jar = jar;
    this.anchor = anchor;
  }

  /** Returns the signed bundle. The caller must not change it. */
  byte[] jar() {
    return jar;
  }

  /** Returns the certificate that its signer leads to, as PEM. */
  String anchor() {
    return anchor;
  }

  static OwnBundle sign(PublisherKeys.Algorithm algorithm)
      throws IOException, GeneralSecurityException, VerifyException {
    KeyPair key = PublisherKeys.generate(algorithm, new SecureRandom());
    Certificates certificates = new Certificates(Clock.systemUTC(), new SecureRandom());
    X509Certificate authority =
        certificates.authority(
            key.getPrivate(), key.getPublic(), "CN=Authority", Duration.ofDays(1));
    X509Certificate signer =
        certificates.issue(
            key.getPrivate(), authority, key.getPublic(), "CN=Signer", Duration.ofDays(1));
    return new OwnBundle(
        BundleSigner.sign(bundle(), key.getPrivate(), List.of(signer)),
        Certificates.writePem(authority));
  }

  private static byte[] bundle() throws IOException {
    String manifest =
        String.join(
            "\r\n",
            "Manifest-Version: 1.0",
            "Bundle-ManifestVersion: 2",
            "Bundle-SymbolicName: " + NAME,
            "Bundle-Version: " + VERSION,
            "Import-Package: org.netserv.packet;version=\"[2.0,3)\"",
            "Service-Component: OSGI-INF/a.xml",
            "Require-Capability: osgi.ee;filter:=\"(&(osgi.ee=JavaSE)(version=17))\"",
            "",
            "");
    try (InputStream in = OwnBundle.class.getResourceAsStream("Rehearsal.class")) {
      return ZipWriter.write(
          List.of(
              item("META-INF/MANIFEST.MF", manifest.getBytes(StandardCharsets.UTF_8)),
              item("org/netserv/artifact/job/OwnBundle.class", in.readAllBytes())));
    }
  }

  private static ZipItem item(String name, byte[] content) {
    return new ZipItem(name, content, ZipItem.EPOCH);
  }
}
