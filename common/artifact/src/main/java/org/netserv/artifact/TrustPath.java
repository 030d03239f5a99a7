// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact;

import static org.netserv.artifact.refusal.VerifyException.Reason.REVOKED;
import static org.netserv.artifact.refusal.VerifyException.Reason.UNTRUSTED;

import java.security.GeneralSecurityException;
import java.security.cert.CertPathBuilder;
import java.security.cert.CertStore;
import java.security.cert.Certificate;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.PKIXCertPathBuilderResult;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.netserv.artifact.refusal.VerifyException;

/**
 * Finds the path from a signer to one of the node's anchors. The JDK's own list of authorities
 * plays no part.
 */
final class TrustPath {
  private static final int MAX_INTERMEDIATES = 3;

  private TrustPath() {}

  /**
   * Returns the path with the signer's certificate first and the anchor last. The path is one
   * certificate when the signer is itself the anchor.
   */
  static List<X509Certificate> build(List<X509Certificate> certificates, VerifyRules rules)
      throws VerifyException {
    X509Certificate signer = certificates.get(0);
    CertificatePurpose.requireSigner(signer, rules.now());
    List<X509Certificate> path =
        rules.anchors().contains(signer) ? List.of(signer) : pkix(certificates, rules);
    for (X509Certificate certificate : path) {
      CertificatePurpose.requireValid(certificate, rules.now());
      checkRevocation(certificate, rules.revoked());
    }
    return path;
  }

  private static void checkRevocation(X509Certificate certificate, Set<String> revoked)
      throws VerifyException {
    String serial = certificate.getSerialNumber().toString(16);
    if (revoked.contains(serial) || revoked.contains("spki:" + Certificates.keyId(certificate))) {
      throw new VerifyException(REVOKED, name(certificate) + ": revoked (serial " + serial + ")");
    }
  }

  private static List<X509Certificate> pkix(List<X509Certificate> certificates, VerifyRules rules)
      throws VerifyException {
    X509Certificate signer = certificates.get(0);
    Set<TrustAnchor> anchors = new HashSet<>();
    rules.anchors().forEach(anchor -> anchors.add(new TrustAnchor(anchor, null)));
    if (anchors.isEmpty()) {
      throw new VerifyException(UNTRUSTED, name(signer) + ": there is no trust anchor to lead to");
    }
    try {
      X509CertSelector target = new X509CertSelector();
      target.setCertificate(signer);
      PKIXBuilderParameters parameters = new PKIXBuilderParameters(anchors, target);
      parameters.addCertStore(
          CertStore.getInstance("Collection", new CollectionCertStoreParameters(certificates)));
      parameters.setDate(Date.from(rules.now()));
      parameters.setRevocationEnabled(false);
      parameters.setMaxPathLength(MAX_INTERMEDIATES);
      PKIXCertPathBuilderResult result =
          (PKIXCertPathBuilderResult)
              CertPathBuilder.getInstance("PKIX", Crypto.PROVIDER).build(parameters);
      List<X509Certificate> path = new ArrayList<>();
      for (Certificate certificate : result.getCertPath().getCertificates()) {
        path.add((X509Certificate) certificate);
      }
      path.add(result.getTrustAnchor().getTrustedCert());
      return path;
    } catch (GeneralSecurityException | RuntimeException e) {
      // The path builder throws unchecked exceptions on malformed certificates.
      throw new VerifyException(
          UNTRUSTED, name(signer) + ": leads to none of the trust anchors", e);
    }
  }

  private static String name(X509Certificate certificate) {
    return certificate.getSubjectX500Principal().getName();
  }
}
