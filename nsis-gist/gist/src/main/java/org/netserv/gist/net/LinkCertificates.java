// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import org.bouncycastle.asn1.x500.RDN;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x500.style.IETFUtils;
import org.bouncycastle.cert.jcajce.JcaX509CertificateHolder;

/** Reads facts about the owner of a certificate. */
final class LinkCertificates {
  /** Type of a dNSName in a SubjectAltName (RFC 5280 section 4.2.1.6). */
  private static final Integer DNS_NAME = 2;

  private LinkCertificates() {}

  /** Returns the SHA-256 of the SubjectPublicKeyInfo in hexadecimal. */
  static String fingerprint(X509Certificate certificate) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(certificate.getPublicKey().getEncoded()));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /**
   * Returns the DNS names of the SubjectAltName. If it has none, returns the most specific common
   * name (RFC 5971 section 5.7.3.1). Returns no names when they cannot be read.
   */
  static List<String> names(X509Certificate certificate) {
    try {
      List<String> names = alternativeNames(certificate);
      return names.isEmpty() ? commonName(certificate) : names;
    } catch (CertificateParsingException | CertificateEncodingException e) {
      return List.of();
    }
  }

  private static List<String> alternativeNames(X509Certificate certificate)
      throws CertificateParsingException {
    List<String> names = new ArrayList<>();
    Collection<List<?>> all = certificate.getSubjectAlternativeNames();
    for (List<?> name : all == null ? List.<List<?>>of() : all) {
      if (DNS_NAME.equals(name.get(0)) && name.get(1) instanceof String dns) {
        names.add(dns);
      }
    }
    return names;
  }

  private static List<String> commonName(X509Certificate certificate)
      throws CertificateEncodingException {
    RDN[] names = new JcaX509CertificateHolder(certificate).getSubject().getRDNs(BCStyle.CN);
    return names.length == 0
        ? List.of()
        : List.of(IETFUtils.valueToString(names[names.length - 1].getFirst().getValue()));
  }
}
