// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.bouncycastle.cert.jcajce.JcaCertStore;
import org.bouncycastle.cms.CMSException;
import org.bouncycastle.cms.CMSProcessableByteArray;
import org.bouncycastle.cms.CMSSignedData;
import org.bouncycastle.cms.CMSSignedDataGenerator;
import org.bouncycastle.cms.jcajce.JcaSignerInfoGeneratorBuilder;
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.operator.jcajce.JcaDigestCalculatorProviderBuilder;
import org.netserv.artifact.refusal.VerifyException;
import org.netserv.artifact.refusal.VerifyLimits;
import org.netserv.artifact.zip.StrictZip;
import org.netserv.artifact.zip.ZipItem;
import org.netserv.artifact.zip.ZipWriter;

/**
 * Signs bundles by the JAR specification. It does not need the JDK's tool, which some runtimes
 * lack:
 *
 * <pre>
 *   META-INF/MANIFEST.MF   the main attributes as they were, a digest of every file
 *   META-INF/NETSERV.SF    digests of the manifest and of each of its sections
 *   META-INF/NETSERV.EC    CMS signature over the .SF, with the certificates (.RSA for RSA keys)
 *   ...                    the other entries in their order
 * </pre>
 *
 * <p>A signed bundle is signed anew, and its older signatures are left out.
 */
public final class BundleSigner {
  private static final String SIGNER = "META-INF/NETSERV";
  private static final int MANIFEST_LINE = 70;

  private BundleSigner() {}

  /**
   * Signs a file; {@code out} may be {@code in}.
   *
   * @param chain the signer's certificate first, then the certificates above it; the anchor itself
   *     may be left out
   * @throws VerifyException when no node would accept the file, for its structure
   */
  public static void sign(Path in, Path out, PrivateKey key, X509Certificate... chain)
      throws IOException, VerifyException, GeneralSecurityException {
    write(out, sign(Files.readAllBytes(in), key, List.of(chain)));
  }

  /** Writes a signed bundle in one step, so that nobody sees a part of it. */
  public static void write(Path out, byte[] signed) throws IOException {
    Path part = out.resolveSibling(out.getFileName() + ".part");
    Files.write(part, signed);
    Files.move(part, out, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Signs a bundle in memory. */
  public static byte[] sign(byte[] jar, PrivateKey key, List<X509Certificate> chain)
      throws VerifyException, GeneralSecurityException {
    if (chain.isEmpty()) {
      throw new IllegalArgumentException("a signature needs the signer's certificate");
    }
    List<ZipItem> items = new ArrayList<>(StrictZip.read(jar, VerifyLimits.DEFAULT));
    ZipItem old =
        items.stream()
            .filter(item -> item.name().equals(SignatureNames.MANIFEST))
            .findFirst()
            .orElseThrow(
                () -> new VerifyException(VerifyException.Reason.MANIFEST, "there is no manifest"));
    items.removeIf(
        item ->
            item.name().equals(SignatureNames.MANIFEST) || SignatureNames.isSignature(item.name()));
    items.removeIf(item -> item.name().equals("META-INF/"));

    byte[] manifest = manifest(old, items);
    byte[] signatureFile = signatureFile(manifest);
    String extension = key.getAlgorithm().equals("RSA") ? ".RSA" : ".EC";
    List<ZipItem> signed = new ArrayList<>();
    signed.add(new ZipItem(SignatureNames.MANIFEST, manifest, old.time()));
    signed.add(new ZipItem(SIGNER + ".SF", signatureFile, old.time()));
    signed.add(new ZipItem(SIGNER + extension, block(signatureFile, key, chain), old.time()));
    signed.addAll(items);
    return ZipWriter.write(signed);
  }

  private static byte[] manifest(ZipItem old, List<ZipItem> items) throws VerifyException {
    Manifest before = parse(old.content());
    StringBuilder text = new StringBuilder();
    before.mainHeaders().forEach((name, value) -> attribute(text, name, value));
    text.append("\r\n");
    for (ZipItem item : items) {
      if (item.directory()) {
        continue;
      }
      attribute(text, "Name", item.name());
      Manifest.Section section = before.sections().get(item.name());
      if (section != null) {
        for (Map.Entry<String, String> attribute : section.attributes().entrySet()) {
          if (!attribute.getKey().toLowerCase(Locale.ROOT).endsWith("-digest")) {
            attribute(text, attribute.getKey(), attribute.getValue());
          }
        }
      }
      attribute(text, "SHA-256-Digest", base64(Crypto.digest("SHA-256", item.content())));
      text.append("\r\n");
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] signatureFile(byte[] bytes) throws VerifyException {
    Manifest manifest = parse(bytes);
    StringBuilder text = new StringBuilder("Signature-Version: 1.0\r\n");
    attribute(text, "SHA-256-Digest-Manifest", base64(Crypto.digest("SHA-256", bytes)));
    attribute(
        text,
        "SHA-256-Digest-Manifest-Main-Attributes",
        base64(Crypto.digest("SHA-256", manifest.main().raw())));
    attribute(text, "Created-By", "NetServ");
    text.append("\r\n");
    for (Manifest.Section section : manifest.sections().values()) {
      attribute(text, "Name", section.name());
      attribute(text, "SHA-256-Digest", base64(Crypto.digest("SHA-256", section.raw())));
      text.append("\r\n");
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] block(byte[] signatureFile, PrivateKey key, List<X509Certificate> chain)
      throws GeneralSecurityException {
    try {
      ContentSigner signer =
          new JcaContentSignerBuilder(Certificates.signatureAlgorithm(key))
              .setProvider(Crypto.PROVIDER)
              .build(key);
      CMSSignedDataGenerator generator = new CMSSignedDataGenerator();
      generator.addSignerInfoGenerator(
          new JcaSignerInfoGeneratorBuilder(
                  new JcaDigestCalculatorProviderBuilder().setProvider(Crypto.PROVIDER).build())
              .build(signer, chain.get(0)));
      generator.addCertificates(new JcaCertStore(chain));
      CMSSignedData signed = generator.generate(new CMSProcessableByteArray(signatureFile), false);
      return signed.getEncoded("DER");
    } catch (CMSException | OperatorCreationException | IOException e) {
      throw new GeneralSecurityException("cannot sign: " + e.getMessage(), e);
    }
  }

  private static Manifest parse(byte[] bytes) throws VerifyException {
    try {
      return new Manifest(bytes);
    } catch (Manifest.BadManifestException e) {
      throw new VerifyException(
          VerifyException.Reason.MANIFEST, "the manifest " + e.getMessage(), e);
    }
  }

  /** Writes an attribute in lines of at most 72 bytes with their end, broken between characters. */
  private static void attribute(StringBuilder out, String name, String value) {
    String whole = name + ": " + value;
    int used = 0;
    for (int i = 0; i < whole.length(); ) {
      int point = whole.codePointAt(i);
      int length = new String(Character.toChars(point)).getBytes(StandardCharsets.UTF_8).length;
      if (used + length > MANIFEST_LINE) {
        out.append("\r\n ");
        used = 1;
      }
      out.appendCodePoint(point);
      used += length;
      i += Character.charCount(point);
    }
    out.append("\r\n");
  }

  private static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }
}
