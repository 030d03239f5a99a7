// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact;

import java.security.cert.X509Certificate;
import java.util.List;
import org.netserv.artifact.refusal.VerifyException;
import org.netserv.artifact.zip.StrictZip;
import org.netserv.artifact.zip.ZipItem;

/**
 * Verifies every bundle before anything else of the node sees a byte of it. The OSGi framework's
 * own signature check is no such gate. It reads a file in two ways and can be shown two files, it
 * lets added classes run, and it trusts the JDK's authorities.
 *
 * <p>The checks run in a fixed order: size and digest of the whole file, its structure, one
 * signature over every entry, the path to a trust anchor, the requests of the manifest. Stateless
 * and thread-safe. Install the very bytes that were verified, because a file read twice can be two
 * files.
 */
public final class StrictVerifier {
  private StrictVerifier() {}

  /** Verifies a bundle. Throws nothing but {@link VerifyException}, whatever the bytes are. */
  public static VerifiedBundle verify(byte[] jar, VerifyRules rules) throws VerifyException {
    if (jar.length > rules.limits().fileBytes()) {
      throw new VerifyException(
          VerifyException.Reason.TOO_LARGE,
          "the file has " + jar.length + " bytes, over " + rules.limits().fileBytes());
    }
    String sha256 = Crypto.sha256Hex(jar);
    if (rules.digest().isPresent() && !rules.digest().get().equals(sha256)) {
      throw new VerifyException(
          VerifyException.Reason.DIGEST, "SHA-256 is " + sha256 + ", not " + rules.digest().get());
    }
    List<ZipItem> items = StrictZip.read(jar, rules.limits());
    SignatureCheck signature = new SignatureCheck(items);
    List<X509Certificate> chain = TrustPath.build(signature.certificates(), rules);
    BundleHeaders headers = new BundleHeaders(signature.manifest());
    headers.check(rules);
    return new VerifiedBundle(
        sha256,
        jar.length,
        headers.symbolicName(),
        headers.version(),
        chain,
        headers.all(),
        headers.list("Import-Package"),
        headers.list("Require-Bundle"),
        headers.list("Require-Capability"),
        headers.list("Export-Package"),
        items.stream().filter(item -> !item.directory()).map(ZipItem::name).toList(),
        ClassScan.scan(items));
  }
}
