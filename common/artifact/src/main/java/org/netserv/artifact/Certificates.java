// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemReader;
import org.bouncycastle.util.io.pem.PemWriter;

/**
 * Makes certificates for signing bundles, with Ed25519 or P-256 keys. It makes self-signed
 * certificates, authorities, and certificates that an authority issues. Names are distinguished
 * names such as {@code CN=Alice}. Not thread-safe.
 */
public final class Certificates {
  private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);
  private static final String PEM_TYPE = "CERTIFICATE";

  private final Clock clock;
  private final SecureRandom random;

  public Certificates(Clock clock, SecureRandom random) {
    this.clock = clock;
    this.random = random;
  }

  /** Makes a publisher's own certificate. A node trusts it when it is itself the anchor. */
  public X509Certificate selfSigned(
      PrivateKey key, PublicKey publicKey, String name, Duration validity) {
    return build(
        key, publicKey, new X500Name(name), new X500Name(name), publicKey, validity, false);
  }

  /** The certificate of an authority that issues publishers' certificates. */
  public X509Certificate authority(
      PrivateKey key, PublicKey publicKey, String name, Duration validity) {
    return build(key, publicKey, new X500Name(name), new X500Name(name), publicKey, validity, true);
  }

  /** A publisher's certificate, issued by an authority. */
  public X509Certificate issue(
      PrivateKey authorityKey,
      X509Certificate authority,
      PublicKey publicKey,
      String name,
      Duration validity) {
    X500Name issuer = X500Name.getInstance(authority.getSubjectX500Principal().getEncoded());
    return build(
        authorityKey,
        authority.getPublicKey(),
        issuer,
        new X500Name(name),
        publicKey,
        validity,
        false);
  }

  private X509Certificate build(
      PrivateKey issuerKey,
      PublicKey issuerPublic,
      X500Name issuer,
      X500Name subject,
      PublicKey publicKey,
      Duration validity,
      boolean authority) {
    Instant from = clock.instant().minus(CLOCK_SKEW);
    try {
      JcaX509v3CertificateBuilder builder =
          new JcaX509v3CertificateBuilder(
              issuer,
              new BigInteger(127, random).setBit(126),
              Date.from(from),
              Date.from(clock.instant().plus(validity)),
              subject,
              publicKey);
      JcaX509ExtensionUtils ids = new JcaX509ExtensionUtils();
      builder.addExtension(
          Extension.subjectKeyIdentifier, false, ids.createSubjectKeyIdentifier(publicKey));
      builder.addExtension(
          Extension.authorityKeyIdentifier, false, ids.createAuthorityKeyIdentifier(issuerPublic));
      if (authority) {
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
        builder.addExtension(
            Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
      } else {
        builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
        builder.addExtension(
            Extension.extendedKeyUsage,
            false,
            new ExtendedKeyUsage(KeyPurposeId.id_kp_codeSigning));
      }
      JcaContentSignerBuilder signer =
          new JcaContentSignerBuilder(signatureAlgorithm(issuerKey)).setProvider(Crypto.PROVIDER);
      return new JcaX509CertificateConverter()
          .getCertificate(builder.build(signer.build(issuerKey)));
    } catch (GeneralSecurityException | OperatorCreationException | IOException e) {
      throw new IllegalArgumentException(
          "no certificate can be made for " + subject + ": " + e.getMessage(), e);
    }
  }

  /** The one signature algorithm of each kind of key. */
  static String signatureAlgorithm(PrivateKey key) {
    return switch (key.getAlgorithm()) {
      case "Ed25519", "EdDSA" -> "Ed25519";
      case "EC", "ECDSA" -> "SHA256withECDSA";
      case "RSA" -> "SHA256withRSA";
      default ->
          throw new IllegalArgumentException(
              "no signatures with a key of type " + key.getAlgorithm());
    };
  }

  /** Reads one or more PEM certificates; an empty list when there is none. */
  public static List<X509Certificate> readPem(String pem) throws IOException {
    List<X509Certificate> certificates = new ArrayList<>();
    try (PemReader reader = new PemReader(new StringReader(pem))) {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      for (PemObject object = reader.readPemObject();
          object != null;
          object = reader.readPemObject()) {
        if (!object.getType().equals(PEM_TYPE)) {
          throw new IOException("a PEM block " + object.getType() + " instead of a certificate");
        }
        ByteArrayInputStream content = new ByteArrayInputStream(object.getContent());
        certificates.add((X509Certificate) factory.generateCertificate(content));
      }
    } catch (GeneralSecurityException | RuntimeException e) {
      throw new IOException("not a PEM certificate: " + e.getMessage(), e);
    }
    return certificates;
  }

  /** The certificates as PEM, one block each. */
  public static String writePem(X509Certificate... certificates) {
    StringWriter text = new StringWriter();
    try (PemWriter writer = new PemWriter(text)) {
      for (X509Certificate certificate : certificates) {
        writer.writeObject(new PemObject(PEM_TYPE, certificate.getEncoded()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (CertificateEncodingException e) {
      throw new IllegalArgumentException(e);
    }
    return text.toString();
  }

  /**
   * Returns the SHA-256 of the public key info in lower-case hex. It is the identity of a signer,
   * while names are for display.
   */
  public static String keyId(X509Certificate certificate) {
    return Crypto.sha256Hex(certificate.getPublicKey().getEncoded());
  }
}
