// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.io.IOException;
import java.math.BigInteger;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.ASN1Encoding;
import org.bouncycastle.asn1.ASN1Integer;
import org.bouncycastle.asn1.DERBitString;
import org.bouncycastle.asn1.DERSequence;
import org.bouncycastle.asn1.DERUTF8String;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.Extensions;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.asn1.x509.TBSCertificate;
import org.bouncycastle.asn1.x509.Time;
import org.bouncycastle.asn1.x509.V3TBSCertificateGenerator;
import org.netserv.values.BadValueException;
import org.netserv.values.PublisherKeys;

/** Issues delegations with a publisher's key. Safe for several threads if {@code random} is. */
public final class DelegationIssuer {
  private static final int SERIAL_BITS = 127;

  private final String user;
  private final PrivateKey key;
  private final SecureRandom random;

  /**
   * An issuer.
   *
   * @param user the publisher
   * @param key one of its registered keys
   * @param random source of serial numbers
   */
  public DelegationIssuer(String user, PrivateKey key, SecureRandom random) {
    this.user = user;
    this.key = key;
    this.random = random;
  }

  /**
   * Issues a certificate with a random serial number.
   *
   * @param delegate the public key of the holder
   * @param subject a name for audit logs, 1 to 64 of {@code A-Z a-z 0-9 . _ @ + -}
   * @param from beginning of its life, cut to seconds
   * @param life more than 0, at most {@link Delegation#MAX_LIFETIME} seconds
   * @throws BadValueException naming the part that no node would take
   */
  public Delegation issue(
      PublicKey delegate, String subject, Instant from, Duration life, DelegationBounds bounds)
      throws BadValueException {
    if (life.toSeconds() < 1 || life.toSeconds() > Delegation.MAX_LIFETIME) {
      throw new BadValueException(
          "life: not 1 to " + Delegation.MAX_LIFETIME + " seconds: " + life.toSeconds());
    }
    BigInteger serial = new BigInteger(SERIAL_BITS, random).setBit(SERIAL_BITS - 1);
    return issue(serial, delegate, subject, from, life, bounds);
  }

  Delegation issue(
      BigInteger serial,
      PublicKey delegate,
      String subject,
      Instant from,
      Duration life,
      DelegationBounds bounds)
      throws BadValueException {
    AlgorithmIdentifier algorithm =
        PublisherKeys.algorithm(key) == PublisherKeys.Algorithm.ED25519
            ? Delegation.ED25519
            : Delegation.P256;
    long begin = from.getEpochSecond();
    V3TBSCertificateGenerator fields = new V3TBSCertificateGenerator();
    fields.setSerialNumber(new ASN1Integer(serial));
    fields.setSignature(algorithm);
    fields.setIssuer(name(user));
    fields.setSubject(name(subject));
    fields.setStartDate(new Time(Date.from(Instant.ofEpochSecond(begin))));
    fields.setEndDate(new Time(Date.from(Instant.ofEpochSecond(begin + life.toSeconds()))));
    fields.setSubjectPublicKeyInfo(SubjectPublicKeyInfo.getInstance(delegate.getEncoded()));
    try {
      byte[] text = new DERUTF8String(bounds.print()).getEncoded(ASN1Encoding.DER);
      fields.setExtensions(new Extensions(new Extension(Delegation.BOUNDS, true, text)));
      TBSCertificate signed = fields.generateTBSCertificate();
      byte[] signature = PublisherKeys.sign(key, signed.getEncoded(ASN1Encoding.DER));
      DERSequence whole =
          new DERSequence(new ASN1Encodable[] {signed, algorithm, new DERBitString(signature)});
      return Delegation.read(whole.getEncoded(ASN1Encoding.DER));
    } catch (IOException e) {
      throw new IllegalStateException("a certificate that does not encode", e);
    }
  }

  private static X500Name name(String common) {
    return new X500NameBuilder(BCStyle.INSTANCE)
        .addRDN(BCStyle.CN, new DERUTF8String(common))
        .build();
  }
}
