// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import java.math.BigInteger;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A certification authority of one test. */
final class TestCa {
  private static final Instant BEGIN = Instant.parse("2020-01-01T00:00:00Z");
  private static final Instant END = Instant.parse("2199-01-01T00:00:00Z");

  private final X500Name name;
  private final KeyPair keys = keys();
  private final X509Certificate anchor;

  TestCa(String name) throws Exception {
    this.name = new X500Name("CN=" + name);
    X509v3CertificateBuilder builder =
        builder(this.name, keys, END)
            .addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
    anchor = sign(builder);
  }

  X509Certificate anchor() {
    return anchor;
  }

  /**
   * A certificate of this CA.
   *
   * @param subject distinguished name
   * @param dnsNames of the SubjectAltName; none = no such extension
   */
  NodeCertificate issue(String subject, String... dnsNames) throws Exception {
    return issue(subject, END, dnsNames);
  }

  NodeCertificate issue(String subject, Instant end, String... dnsNames) throws Exception {
    KeyPair own = keys();
    X509v3CertificateBuilder builder = builder(new X500Name(subject), own, end);
    if (dnsNames.length > 0) {
      GeneralName[] names = new GeneralName[dnsNames.length];
      for (int i = 0; i < names.length; i++) {
        names[i] = new GeneralName(GeneralName.dNSName, dnsNames[i]);
      }
      builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(names));
    }
    return new NodeCertificate(own.getPrivate(), List.of(sign(builder), anchor));
  }

  private X509v3CertificateBuilder builder(X500Name subject, KeyPair own, Instant end) {
    return new JcaX509v3CertificateBuilder(
        name,
        BigInteger.valueOf(System.nanoTime()),
        Date.from(BEGIN),
        Date.from(end),
        subject,
        own.getPublic());
  }

  private X509Certificate sign(X509v3CertificateBuilder builder) throws Exception {
    return new JcaX509CertificateConverter()
        .getCertificate(
            builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())));
  }

  private static KeyPair keys() throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    return generator.generateKeyPair();
  }
}
