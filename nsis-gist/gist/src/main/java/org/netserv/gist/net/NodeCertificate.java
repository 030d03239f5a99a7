// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import java.io.IOException;
import java.io.Reader;
import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.EnumSet;
import java.util.List;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemWriter;

/**
 * The key and the certificates by which a node proves its identity in TLS. The file is PEM: the
 * private key, then the node's certificate, then the certificates up to its trust anchor. An
 * operator with a CA replaces the self-signed file by another one.
 */
public final class NodeCertificate {
  static final String FILE = "gist-tls.pem";

  /**
   * End of validity that means no end (RFC 5280 section 4.1.2.5). Peers identify a node by its key,
   * and clocks step.
   */
  private static final Instant NO_END = Instant.parse("9999-12-31T23:59:59Z");

  private static final Instant BEGIN = Instant.parse("2020-01-01T00:00:00Z");

  private final PrivateKey key;
  private final List<X509Certificate> chain;

  NodeCertificate(PrivateKey key, List<X509Certificate> chain) {
    this.key = key;
    this.chain = List.copyOf(chain);
  }

  /**
   * Reads {@code gist-tls.pem} in this directory, or makes a self-signed certificate, mode 0600,
   * when there is none. Two processes that start at once get the same certificate.
   *
   * @param name of the node, in the certificate: a DNS name
   * @throws IOException cannot be read, or is no key with its certificates
   */
  public static NodeCertificate loadOrCreate(Path directory, String name, SecureRandom random)
      throws IOException {
    Path file = directory.resolve(FILE);
    if (!Files.exists(file)) {
      generate(name, random).write(file);
    }
    return read(file);
  }

  /** Makes a self-signed certificate, P-256 and without end, and stores it nowhere. */
  public static NodeCertificate generate(String name, SecureRandom random) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"), random);
      KeyPair pair = generator.generateKeyPair();
      X500Name subject = new X500NameBuilder().addRDN(BCStyle.CN, name).build();
      X509v3CertificateBuilder builder =
          new JcaX509v3CertificateBuilder(
                  subject,
                  new BigInteger(127, random).setBit(126),
                  Date.from(BEGIN),
                  Date.from(NO_END),
                  subject,
                  pair.getPublic())
              .addExtension(
                  Extension.subjectAlternativeName,
                  false,
                  new GeneralNames(new GeneralName(GeneralName.dNSName, name)));
      X509Certificate certificate =
          new JcaX509CertificateConverter()
              .getCertificate(
                  builder.build(
                      new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate())));
      return new NodeCertificate(pair.getPrivate(), List.of(certificate));
    } catch (GeneralSecurityException | IOException | OperatorCreationException e) {
      throw new IllegalStateException("every Java platform has P-256", e);
    }
  }

  /**
   * Returns the SHA-256 of the public key (SubjectPublicKeyInfo) in hexadecimal. Other nodes name
   * us by it.
   */
  public String fingerprint() {
    return LinkCertificates.fingerprint(chain.get(0));
  }

  public PrivateKey key() {
    return key;
  }

  /** Returns the certificates, our own first. */
  public List<X509Certificate> chain() {
    return chain;
  }

  static NodeCertificate read(Path file) throws IOException {
    PrivateKey key = null;
    List<X509Certificate> chain = new ArrayList<>();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.US_ASCII);
        PEMParser parser = new PEMParser(reader)) {
      for (Object part = parser.readObject(); part != null; part = parser.readObject()) {
        if (part instanceof PrivateKeyInfo info) {
          key = new JcaPEMKeyConverter().getPrivateKey(info);
        } else if (part instanceof PEMKeyPair pair) {
          key = new JcaPEMKeyConverter().getPrivateKey(pair.getPrivateKeyInfo());
        } else if (part instanceof X509CertificateHolder holder) {
          chain.add(new JcaX509CertificateConverter().getCertificate(holder));
        }
      }
    } catch (GeneralSecurityException | RuntimeException e) {
      throw new IOException(file + " has a part that cannot be read", e);
    }
    if (key == null || chain.isEmpty()) {
      throw new IOException(file + " has to have a private key and its certificate");
    }
    if (!belong(key, chain.get(0))) {
      throw new IOException(file + ": the certificate is not that of the key");
    }
    return new NodeCertificate(key, chain);
  }

  private static boolean belong(PrivateKey key, X509Certificate certificate) {
    String algorithm =
        switch (key.getAlgorithm()) {
          case "EC", "ECDSA" -> "SHA256withECDSA";
          case "RSA" -> "SHA256withRSA";
          default -> key.getAlgorithm();
        };
    try {
      Signature signer = Signature.getInstance(algorithm);
      signer.initSign(key);
      byte[] signature = signer.sign();
      signer.initVerify(certificate.getPublicKey());
      return signer.verify(signature);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  /**
   * Writes the file aside and links it into place. The file is therefore never there in part, and
   * the file of another process that started at the same time is kept.
   */
  void write(Path file) throws IOException {
    Path aside =
        Files.createTempFile(
            file.toAbsolutePath().getParent(),
            FILE,
            ".new",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try {
      ByteBuffer pem = StandardCharsets.US_ASCII.encode(pem());
      try (FileChannel channel = FileChannel.open(aside, EnumSet.of(StandardOpenOption.WRITE))) {
        while (pem.hasRemaining()) {
          channel.write(pem);
        }
        channel.force(true);
      }
      Files.createLink(file, aside);
    } catch (FileAlreadyExistsException e) {
      // Another process was faster, so its certificate is the node's.
    } finally {
      Files.delete(aside);
    }
  }

  private String pem() throws IOException {
    StringWriter text = new StringWriter();
    try (PemWriter writer = new PemWriter(text)) {
      writer.writeObject(new PemObject("PRIVATE KEY", key.getEncoded()));
      for (X509Certificate certificate : chain) {
        writer.writeObject(new PemObject("CERTIFICATE", certificate.getEncoded()));
      }
    } catch (CertificateEncodingException e) {
      throw new IOException(e);
    }
    return text.toString();
  }
}
