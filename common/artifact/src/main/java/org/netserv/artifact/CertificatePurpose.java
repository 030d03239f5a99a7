// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact;

import static org.netserv.artifact.refusal.VerifyException.Reason.CERTIFICATE;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import org.netserv.artifact.refusal.VerifyException;

/** Refuses certificates that are out of date, or made for another purpose than bundles. */
public final class CertificatePurpose {
  private static final String CODE_SIGNING = "1.3.6.1.5.5.7.3.3";
  private static final int DIGITAL_SIGNATURE = 0;
  private static final int CERT_SIGN = 5;

  private CertificatePurpose() {}

  /** Requires one that may sign a bundle now. */
  public static void requireSigner(X509Certificate signer, Instant now) throws VerifyException {
    requireValid(signer, now);
    try {
      List<String> usages = signer.getExtendedKeyUsage();
      if (usages == null || !usages.contains(CODE_SIGNING)) {
        throw new VerifyException(
            CERTIFICATE, name(signer) + ": not a certificate for code signing");
      }
      if (!allows(signer, DIGITAL_SIGNATURE)) {
        throw new VerifyException(
            CERTIFICATE, name(signer) + ": not a certificate for digital signatures");
      }
    } catch (CertificateParsingException e) {
      throw new VerifyException(CERTIFICATE, name(signer) + ": its usage does not read", e);
    }
  }

  /** Requires one under which bundles may be signed now: an authority's, or a signer's own. */
  public static void requireAnchor(X509Certificate anchor, Instant now) throws VerifyException {
    if (anchor.getBasicConstraints() < 0) {
      requireSigner(anchor, now);
      return;
    }
    requireValid(anchor, now);
    if (!allows(anchor, CERT_SIGN)) {
      throw new VerifyException(
          CERTIFICATE, name(anchor) + ": an authority whose key usage is not to sign certificates");
    }
  }

  static void requireValid(X509Certificate certificate, Instant now) throws VerifyException {
    if (now.isBefore(certificate.getNotBefore().toInstant())) {
      throw new VerifyException(
          CERTIFICATE,
          name(certificate) + ": not valid before " + certificate.getNotBefore().toInstant());
    }
    if (now.isAfter(certificate.getNotAfter().toInstant())) {
      throw new VerifyException(
          CERTIFICATE, name(certificate) + ": expired at " + certificate.getNotAfter().toInstant());
    }
  }

  /** A certificate without the extension may be used for all. */
  private static boolean allows(X509Certificate certificate, int usage) {
    boolean[] usages = certificate.getKeyUsage();
    return usages == null || usages[usage];
  }

  private static String name(X509Certificate certificate) {
    return certificate.getSubjectX500Principal().getName();
  }
}
