// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact;

import static org.netserv.artifact.refusal.VerifyException.Reason.ENTRY_DIGEST;
import static org.netserv.artifact.refusal.VerifyException.Reason.MANIFEST;
import static org.netserv.artifact.refusal.VerifyException.Reason.NOT_COVERED;
import static org.netserv.artifact.refusal.VerifyException.Reason.SIGNATURE;
import static org.netserv.artifact.refusal.VerifyException.Reason.SIGNATURE_FILE;
import static org.netserv.artifact.refusal.VerifyException.Reason.SIGNERS;
import static org.netserv.artifact.refusal.VerifyException.Reason.UNSIGNED;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cms.CMSException;
import org.bouncycastle.cms.CMSProcessableByteArray;
import org.bouncycastle.cms.CMSSignedData;
import org.bouncycastle.cms.SignerInformation;
import org.bouncycastle.cms.jcajce.JcaSimpleSignerInfoVerifierBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.netserv.artifact.refusal.VerifyException;
import org.netserv.artifact.zip.ZipItem;

/**
 * One signature over all of an archive. The check goes down from the signature: CMS block, then the
 * signature file, then the manifest and each of its sections, then each entry. Nothing is looked up
 * by name in the archive again.
 */
final class SignatureCheck {
  private static final int MAX_BLOCK = 64 * 1024;
  private static final int MAX_CERTIFICATES = 8;
  private static final String DIGEST = "-digest";

  /**
   * Maps a JAR attribute (lower case, up to "-digest") to its algorithm. Only algorithms without a
   * known collision.
   */
  private static final Map<String, String> ALGORITHMS =
      Map.of("sha-256", "SHA-256", "sha-384", "SHA-384", "sha-512", "SHA-512");

  private final List<ZipItem> items;
  private final Manifest manifest;

  SignatureCheck(List<ZipItem> items) throws VerifyException {
    this.items = items;
    this.manifest = parse(manifestItem(items), MANIFEST, "the manifest ");
  }

  Manifest manifest() {
    return manifest;
  }

  /**
   * Checks digests and signature.
   *
   * @return the signer's certificate first, then the others of the block: not yet trusted
   */
  List<X509Certificate> certificates() throws VerifyException {
    ZipItem signatureFile = only(SignatureNames::isSignatureFile, ".SF file");
    ZipItem block = only(SignatureNames::isBlock, "signature block");
    if (items.stream().filter(item -> SignatureNames.isSignature(item.name())).count() != 2) {
      throw new VerifyException(SIGNERS, "signature files besides " + signatureFile.name());
    }
    if (!stem(signatureFile.name()).equals(stem(block.name()))) {
      throw new VerifyException(
          SIGNERS, signatureFile.name() + " and " + block.name() + " are not of one signer");
    }
    List<X509Certificate> certificates = verifyBlock(signatureFile.content(), block);
    checkSignatureFile(parse(signatureFile, SIGNATURE_FILE, signatureFile.name() + " "));
    checkEntries();
    return certificates;
  }

  /**
   * Returns the manifest's entry. Readers from the front look for it in the first two places only.
   */
  private static ZipItem manifestItem(List<ZipItem> items) throws VerifyException {
    int at = items.get(0).name().equals("META-INF/") ? 1 : 0;
    if (items.size() <= at || !items.get(at).name().equals(SignatureNames.MANIFEST)) {
      throw new VerifyException(MANIFEST, "the manifest is not the first file");
    }
    return items.get(at);
  }

  private static Manifest parse(ZipItem item, VerifyException.Reason reason, String what)
      throws VerifyException {
    try {
      return new Manifest(item.content());
    } catch (Manifest.BadManifestException e) {
      throw new VerifyException(reason, what + e.getMessage(), e);
    }
  }

  private ZipItem only(Predicate<String> which, String what) throws VerifyException {
    List<ZipItem> found = items.stream().filter(item -> which.test(item.name())).toList();
    if (found.isEmpty()) {
      throw new VerifyException(UNSIGNED, "there is no " + what);
    }
    if (found.size() > 1) {
      throw new VerifyException(SIGNERS, "there is more than one " + what);
    }
    return found.get(0);
  }

  private static String stem(String name) {
    return name.substring(0, name.lastIndexOf('.')).toUpperCase(Locale.ROOT);
  }

  private static List<X509Certificate> verifyBlock(byte[] content, ZipItem block)
      throws VerifyException {
    if (block.content().length > MAX_BLOCK) {
      throw new VerifyException(SIGNATURE, block.name() + ": longer than " + MAX_BLOCK + " bytes");
    }
    try {
      CMSSignedData signed =
          new CMSSignedData(new CMSProcessableByteArray(content), block.content());
      Collection<SignerInformation> signers = signed.getSignerInfos().getSigners();
      if (signers.size() != 1) {
        throw new VerifyException(
            SIGNERS, block.name() + ": " + signers.size() + " signers, not one");
      }
      if (signed.getSignedContent() != null && !signed.isDetachedSignature()) {
        throw new VerifyException(SIGNATURE, block.name() + ": carries content of its own");
      }
      return verifySigner(signed, signers.iterator().next(), block.name());
    } catch (CMSException
        | OperatorCreationException
        | GeneralSecurityException
        | RuntimeException e) {
      // The CMS reader throws unchecked exceptions on malformed bytes.
      throw new VerifyException(SIGNATURE, block.name() + ": not a valid signature block", e);
    }
  }

  private static List<X509Certificate> verifySigner(
      CMSSignedData signed, SignerInformation signer, String block)
      throws CMSException, OperatorCreationException, GeneralSecurityException, VerifyException {
    Collection<X509CertificateHolder> all = signed.getCertificates().getMatches(null);
    if (all.size() > MAX_CERTIFICATES) {
      throw new VerifyException(
          SIGNATURE, block + ": more than " + MAX_CERTIFICATES + " certificates");
    }
    @SuppressWarnings("unchecked") // the library's selector has no type parameter
    Collection<X509CertificateHolder> own = signed.getCertificates().getMatches(signer.getSID());
    if (own.size() != 1) {
      throw new VerifyException(
          SIGNERS, block + ": " + own.size() + " certificates for the signer, not one");
    }
    X509CertificateHolder holder = own.iterator().next();
    JcaX509CertificateConverter converter = new JcaX509CertificateConverter();
    X509Certificate certificate = converter.getCertificate(holder);
    JcaSimpleSignerInfoVerifierBuilder verifier =
        new JcaSimpleSignerInfoVerifierBuilder().setProvider(Crypto.PROVIDER);
    // By key, not by certificate: validity is judged at the rules' instant, not at a signing time
    // the signer chose.
    if (!signer.verify(verifier.build(certificate.getPublicKey()))) {
      throw new VerifyException(
          SIGNATURE, block + ": the signature does not fit the signature file");
    }
    List<X509Certificate> certificates = new ArrayList<>(List.of(certificate));
    for (X509CertificateHolder other : all) {
      if (!other.equals(holder)) {
        certificates.add(converter.getCertificate(other));
      }
    }
    return certificates;
  }

  private void checkSignatureFile(Manifest file) throws VerifyException {
    if (!file.main().get("Signature-Version").equals(Optional.of("1.0"))) {
      throw new VerifyException(SIGNATURE_FILE, "the signature file is not of version 1.0");
    }
    boolean whole =
        matches(
            file.main(),
            "-digest-manifest",
            ByteBuffer.wrap(manifest.bytes()),
            SIGNATURE_FILE,
            "the manifest");
    if (!whole) {
      throw new VerifyException(SIGNATURE_FILE, "the signature file has no digest of the manifest");
    }
    matches(
        file.main(),
        "-digest-manifest-main-attributes",
        manifest.main().raw(),
        SIGNATURE_FILE,
        "the main attributes");
    for (Manifest.Section section : manifest.sections().values()) {
      Manifest.Section signed = file.sections().get(section.name());
      if (signed == null
          || !matches(signed, DIGEST, section.raw(), SIGNATURE_FILE, section.name())) {
        throw new VerifyException(NOT_COVERED, section.name() + ": not in the signature file");
      }
    }
    if (file.sections().size() != manifest.sections().size()) {
      throw new VerifyException(
          SIGNATURE_FILE, "the signature file names what the manifest does not");
    }
  }

  private void checkEntries() throws VerifyException {
    Set<String> covered = new HashSet<>();
    for (ZipItem item : items) {
      String name = item.name();
      if (item.directory()
          || name.equals(SignatureNames.MANIFEST)
          || SignatureNames.isSignature(name)) {
        continue;
      }
      Manifest.Section section = manifest.sections().get(name);
      if (section == null
          || !matches(section, DIGEST, ByteBuffer.wrap(item.content()), ENTRY_DIGEST, name)) {
        throw new VerifyException(NOT_COVERED, name + ": not signed");
      }
      covered.add(name);
    }
    for (String name : manifest.sections().keySet()) {
      if (!covered.contains(name)) {
        throw new VerifyException(NOT_COVERED, name + ": signed, but not there");
      }
    }
  }

  /**
   * Compares every attribute {@code <algorithm><suffix>} with the bytes.
   *
   * @return false when there is none
   */
  private static boolean matches(
      Manifest.Section section,
      String suffix,
      ByteBuffer bytes,
      VerifyException.Reason reason,
      String what)
      throws VerifyException {
    boolean found = false;
    for (Map.Entry<String, String> attribute : section.attributes().entrySet()) {
      String key = attribute.getKey().toLowerCase(Locale.ROOT);
      if (!key.endsWith(suffix)) {
        continue;
      }
      String name = key.substring(0, key.length() - suffix.length());
      String algorithm = ALGORITHMS.get(name);
      if (algorithm == null) {
        throw new VerifyException(
            reason, what + ": digest by " + name + ", not SHA-256, SHA-384 or SHA-512");
      }
      if (!MessageDigest.isEqual(decode(attribute.getValue()), Crypto.digest(algorithm, bytes))) {
        throw new VerifyException(reason, what + ": its " + algorithm + " is not the signed one");
      }
      found = true;
    }
    return found;
  }

  private static byte[] decode(String base64) {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      return new byte[0];
    }
  }
}
