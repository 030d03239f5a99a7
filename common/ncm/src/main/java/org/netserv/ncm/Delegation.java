// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PublicKey;
import java.time.Instant;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.bouncycastle.asn1.ASN1Encoding;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.ASN1Primitive;
import org.bouncycastle.asn1.ASN1UTF8String;
import org.bouncycastle.asn1.edec.EdECObjectIdentifiers;
import org.bouncycastle.asn1.x500.RDN;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.Certificate;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.Extensions;
import org.bouncycastle.asn1.x509.TBSCertificate;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemReader;
import org.bouncycastle.util.io.pem.PemWriter;
import org.netserv.values.BadValueException;
import org.netserv.values.NodeIdentity;
import org.netserv.values.PublisherKeys;

/**
 * A short-lived certificate. By it a publisher lets another key, the delegate's, sign messages in
 * the publisher's name, within {@link DelegationBounds}. The certificate is X.509 (RFC 5280) of
 * version 3 and has one extension. The extension is critical, so no other software takes the
 * certificate for one of its own purpose. Immutable; equal if the bytes are equal.
 *
 * <pre>
 *   issuer   CN=user of the messages      serialNumber  1 to 20 bytes, positive
 *   subject  CN=name for the audit log    extension     2.25.2214...: UTF8String of the bounds
 * </pre>
 */
public final class Delegation {
  /** Longest certificate in bytes of DER. */
  public static final int MAX_BYTES = 3072;

  /** Longest life in seconds, on any node. */
  public static final int MAX_LIFETIME = 86_400;

  /** The extension with the bounds; an arc made of a UUID (ITU-T X.667). */
  static final ASN1ObjectIdentifier BOUNDS =
      new ASN1ObjectIdentifier("2.25.221430086600303786390411870826665636446");

  static final AlgorithmIdentifier ED25519 =
      new AlgorithmIdentifier(EdECObjectIdentifiers.id_Ed25519);
  static final AlgorithmIdentifier P256 =
      new AlgorithmIdentifier(X9ObjectIdentifiers.ecdsa_with_SHA256);

  private static final String PEM_TYPE = "CERTIFICATE";
  private static final int MAX_PEM = 8192;
  private static final int VERSION_3 = 3;
  private static final int MAX_SERIAL_BITS = 159;
  private static final Pattern SUBJECT = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._@+-]{0,63}");

  private final byte[] der;
  private final byte[] signed;
  private final byte[] signature;
  private final PublisherKeys.Algorithm algorithm;
  private final BigInteger serial;
  private final String user;
  private final String subject;
  private final Instant notBefore;
  private final Instant notAfter;
  private final PublicKey key;
  private final DelegationBounds bounds;

  private Delegation(byte[] der) throws BadValueException, IOException {
    Certificate certificate = Certificate.getInstance(ASN1Primitive.fromByteArray(der));
    TBSCertificate tbs = certificate.getTBSCertificate();
    this.der = der.clone();
    this.signed = tbs.getEncoded(ASN1Encoding.DER);
    if (!Arrays.equals(der, certificate.getEncoded(ASN1Encoding.DER))) {
      throw new BadValueException("not in DER");
    }
    if (tbs.getVersionNumber() != VERSION_3
        || tbs.getIssuerUniqueId() != null
        || tbs.getSubjectUniqueId() != null) {
      throw new BadValueException("not a certificate of version 3 without unique identifiers");
    }
    this.algorithm = algorithm(certificate.getSignatureAlgorithm());
    if (!tbs.getSignature().equals(certificate.getSignatureAlgorithm())) {
      throw new BadValueException("two signature algorithms");
    }
    if (certificate.getSignature().getPadBits() != 0) {
      throw new BadValueException("a signature that does not end with a byte");
    }
    this.signature = certificate.getSignature().getOctets();
    this.serial = tbs.getSerialNumber().getPositiveValue();
    if (tbs.getSerialNumber().getValue().signum() <= 0 || serial.bitLength() > MAX_SERIAL_BITS) {
      throw new BadValueException("a serial number that is not positive in 20 bytes");
    }
    this.user = common(tbs.getIssuer(), "issuer");
    this.subject = common(tbs.getSubject(), "subject");
    if (!SUBJECT.matcher(subject).matches()) {
      throw new BadValueException(
          "subject: not 1 to 64 of A-Z a-z 0-9 . _ @ + -: " + BadValueException.quote(subject));
    }
    this.notBefore = tbs.getStartDate().getDate().toInstant();
    this.notAfter = tbs.getEndDate().getDate().toInstant();
    if (!notBefore.isBefore(notAfter)) {
      throw new BadValueException("ends before it begins");
    }
    this.key = PublisherKeys.readSpki(tbs.getSubjectPublicKeyInfo().getEncoded(ASN1Encoding.DER));
    this.bounds = bounds(tbs.getExtensions());
  }

  /**
   * Reads a certificate that fills the array. The signature is not verified.
   *
   * @throws BadValueException with the part that does not read
   */
  public static Delegation read(byte[] der) throws BadValueException {
    if (der.length == 0 || der.length > MAX_BYTES) {
      throw new BadValueException("not 1 to " + MAX_BYTES + " bytes");
    }
    try {
      return new Delegation(der);
    } catch (IOException | RuntimeException e) {
      // Bouncy Castle throws several unchecked exceptions for content of a wrong type.
      throw new BadValueException("not an X.509 certificate", e);
    }
  }

  /** Reads a file with the certificate in PEM. */
  public static Delegation read(Path file) throws IOException, BadValueException {
    if (Files.size(file) > MAX_PEM) {
      throw new BadValueException("longer than a delegation: " + file);
    }
    return readPem(Files.readString(file, StandardCharsets.US_ASCII));
  }

  /** Reads the certificate in PEM. */
  public static Delegation readPem(String pem) throws BadValueException {
    try (PemReader reader = new PemReader(new StringReader(pem))) {
      PemObject object = reader.readPemObject();
      if (object == null || !object.getType().equals(PEM_TYPE)) {
        throw new BadValueException("not a PEM '" + PEM_TYPE + "'");
      }
      return read(object.getContent());
    } catch (IOException | RuntimeException e) {
      throw new BadValueException("damaged PEM", e);
    }
  }

  /** Prints the certificate in PEM. */
  public String pem() {
    StringWriter text = new StringWriter();
    try (PemWriter writer = new PemWriter(text)) {
      writer.writeObject(new PemObject(PEM_TYPE, der));
    } catch (IOException e) {
      throw new IllegalStateException("a string refused to be written", e);
    }
    return text.toString();
  }

  private static PublisherKeys.Algorithm algorithm(AlgorithmIdentifier id)
      throws BadValueException {
    if (id.equals(ED25519)) {
      return PublisherKeys.Algorithm.ED25519;
    }
    if (id.equals(P256)) {
      return PublisherKeys.Algorithm.P256;
    }
    throw new BadValueException("signed with neither Ed25519 nor ECDSA with SHA-256");
  }

  /** Returns the one common name that a name consists of. */
  private static String common(X500Name name, String what) throws BadValueException {
    RDN[] parts = name.getRDNs();
    if (parts.length != 1
        || parts[0].isMultiValued()
        || !parts[0].getFirst().getType().equals(BCStyle.CN)
        || !(parts[0].getFirst().getValue() instanceof ASN1UTF8String text)) {
      throw new BadValueException(what + ": not one common name in UTF-8");
    }
    return text.getString();
  }

  private static DelegationBounds bounds(Extensions extensions)
      throws BadValueException, IOException {
    if (extensions == null || extensions.getExtensionOIDs().length != 1) {
      throw new BadValueException("not one extension, the bounds of a delegation");
    }
    Extension extension = extensions.getExtension(BOUNDS);
    if (extension == null || !extension.isCritical()) {
      throw new BadValueException("without the critical extension of a delegation");
    }
    ASN1Primitive content = ASN1Primitive.fromByteArray(extension.getExtnValue().getOctets());
    if (!(content instanceof ASN1UTF8String text)
        || !Arrays.equals(
            content.getEncoded(ASN1Encoding.DER), extension.getExtnValue().getOctets())) {
      throw new BadValueException("bounds that are not a UTF8String");
    }
    return DelegationBounds.parse(text.getString());
  }

  /** Tells whether the key is the issuer's: whether it has made the certificate's signature. */
  public boolean issuedBy(PublicKey issuer) {
    return PublisherKeys.algorithm(issuer) == algorithm
        && PublisherKeys.verify(issuer, signed, signature);
  }

  /** Returns the certificate in DER; a copy. */
  public byte[] encoded() {
    return der.clone();
  }

  /** Returns the serial number in lower-case hexadecimal digits, without leading zeros. */
  public String serial() {
    return serial.toString(16);
  }

  /** Returns the publisher, the user of the delegate's messages. */
  public String user() {
    return user;
  }

  /** Returns the name by which the publisher calls the delegate. It decides about nothing. */
  public String subject() {
    return subject;
  }

  public Instant notBefore() {
    return notBefore;
  }

  public Instant notAfter() {
    return notAfter;
  }

  /** Returns the delegate's public key. */
  public PublicKey key() {
    return key;
  }

  /** Returns the delegate's id: that of its key, written as a node-id is. */
  public String id() {
    return NodeIdentity.nodeId(key);
  }

  public DelegationBounds bounds() {
    return bounds;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Delegation that && Arrays.equals(der, that.der);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(der);
  }

  /** Returns publisher, delegate and serial number. */
  @Override
  public String toString() {
    return user + " to " + subject + " (" + id() + "), serial " + serial();
  }
}
