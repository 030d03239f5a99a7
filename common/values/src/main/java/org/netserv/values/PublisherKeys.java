// SPDX-License-Identifier: Apache-2.0
package org.netserv.values;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.edec.EdECObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.sec.SECObjectIdentifiers;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemReader;
import org.bouncycastle.util.io.pem.PemWriter;

/**
 * Keys that sign messages: Ed25519 and ECDSA on P-256 with SHA-256. The key alone decides the
 * algorithm, never a message. Bouncy Castle is used as an object of our own, and the JVM's list of
 * providers is left as it is.
 *
 * <p>An Ed25519 signature is 64 bytes (RFC 8032). A P-256 signature is DER (RFC 3279 section
 * 2.2.3), made deterministically (RFC 6979). For a P-256 signature (r, s) anyone can make the
 * second valid one (r, n-s), so a signature never identifies a message. Only the signed bytes do.
 */
public final class PublisherKeys {
  public static final Provider PROVIDER = new BouncyCastleProvider();

  private static final String PUBLIC_PEM = "PUBLIC KEY";
  private static final String PRIVATE_PEM = "PRIVATE KEY";
  private static final int MAX_KEY_TEXT = 4096;

  /** The two algorithms. */
  public enum Algorithm {
    ED25519("Ed25519", "Ed25519"),
    P256("EC", "SHA256withECDDSA");

    private final String keyFactory;
    private final String signature;

    Algorithm(String keyFactory, String signature) {
      this.keyFactory = keyFactory;
      this.signature = signature;
    }

    /** The word before the colon in the one-line form. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private PublisherKeys() {}

  /** A new key pair. */
  public static KeyPair generate(Algorithm algorithm) {
    return generate(algorithm, new SecureRandom());
  }

  /** A new key pair from a source of randomness. */
  public static KeyPair generate(Algorithm algorithm, SecureRandom random) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm.keyFactory, PROVIDER);
      if (algorithm == Algorithm.P256) {
        generator.initialize(256, random);
      } else {
        generator.initialize(255, random);
      }
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * The algorithm of a key of any provider.
   *
   * @throws IllegalArgumentException when it is neither of the two
   */
  public static Algorithm algorithm(Key key) {
    try {
      return key instanceof PrivateKey
          ? algorithm(PrivateKeyInfo.getInstance(key.getEncoded()).getPrivateKeyAlgorithm())
          : algorithm(SubjectPublicKeyInfo.getInstance(key.getEncoded()).getAlgorithm());
    } catch (BadValueException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  private static Algorithm algorithm(AlgorithmIdentifier id) throws BadValueException {
    ASN1ObjectIdentifier oid = id.getAlgorithm();
    if (oid.equals(EdECObjectIdentifiers.id_Ed25519)) {
      return Algorithm.ED25519;
    }
    if (oid.equals(X9ObjectIdentifiers.id_ecPublicKey)
        && SECObjectIdentifiers.secp256r1.equals(id.getParameters())) {
      return Algorithm.P256;
    }
    throw new BadValueException("neither an Ed25519 nor a P-256 key: algorithm " + oid);
  }

  /** Reads a PKCS#8 PEM file, not encrypted. */
  public static PrivateKey readPrivate(Path file) throws IOException, BadValueException {
    if (Files.size(file) > MAX_KEY_TEXT) {
      throw new BadValueException("longer than a key: " + file);
    }
    return readPrivate(Files.readString(file, StandardCharsets.US_ASCII));
  }

  /** Reads a PKCS#8 PEM text, not encrypted. */
  public static PrivateKey readPrivate(String pem) throws BadValueException {
    byte[] der = pem(pem, PRIVATE_PEM);
    try {
      Algorithm algorithm = algorithm(PrivateKeyInfo.getInstance(der).getPrivateKeyAlgorithm());
      return KeyFactory.getInstance(algorithm.keyFactory, PROVIDER)
          .generatePrivate(new PKCS8EncodedKeySpec(der));
    } catch (GeneralSecurityException | RuntimeException e) {
      throw new BadValueException("not a private key in PKCS#8", e);
    }
  }

  /**
   * Reads a SubjectPublicKeyInfo as PEM, or as one line {@code ed25519:BASE64} or {@code
   * p256:BASE64}.
   */
  public static PublicKey readPublic(String text) throws BadValueException {
    if (text.length() > MAX_KEY_TEXT) {
      throw new BadValueException("longer than a key");
    }
    if (text.stripLeading().startsWith("-----")) {
      return readSpki(pem(text, PUBLIC_PEM));
    }
    String line = text.strip();
    for (Algorithm algorithm : Algorithm.values()) {
      if (line.startsWith(algorithm.text() + ":")) {
        return readLine(algorithm, line.substring(algorithm.text().length() + 1));
      }
    }
    throw new BadValueException(
        "neither PEM nor ed25519:BASE64 nor p256:BASE64: " + BadValueException.quote(line));
  }

  private static PublicKey readLine(Algorithm algorithm, String base64) throws BadValueException {
    byte[] der;
    try {
      der = Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw new BadValueException("not base64: " + BadValueException.quote(base64), e);
    }
    PublicKey key = readSpki(der);
    if (algorithm(key) != algorithm) {
      throw new BadValueException("the key is not the " + algorithm.text() + " key it says it is");
    }
    return key;
  }

  /** Reads the DER of a SubjectPublicKeyInfo; a P-256 point must be on the curve. */
  public static PublicKey readSpki(byte[] der) throws BadValueException {
    try {
      Algorithm algorithm = algorithm(SubjectPublicKeyInfo.getInstance(der).getAlgorithm());
      PublicKey key =
          KeyFactory.getInstance(algorithm.keyFactory, PROVIDER)
              .generatePublic(new X509EncodedKeySpec(der));
      if (!Arrays.equals(key.getEncoded(), der)) {
        throw new BadValueException("a public key that is not in DER with an uncompressed point");
      }
      return key;
    } catch (GeneralSecurityException | RuntimeException e) {
      throw new BadValueException("not a public key", e);
    }
  }

  /**
   * Prints the key as PEM of PKCS#8, version 1. Secret. OpenSSL 3.0 and software built on it do not
   * read version 2, which holds the public key, too.
   */
  public static String print(PrivateKey key) {
    try {
      PrivateKeyInfo info = PrivateKeyInfo.getInstance(key.getEncoded());
      PrivateKeyInfo first =
          new PrivateKeyInfo(info.getPrivateKeyAlgorithm(), info.parsePrivateKey());
      return pemText(PRIVATE_PEM, first.getEncoded());
    } catch (IOException e) {
      throw new IllegalArgumentException("the key does not encode", e);
    }
  }

  /** PEM of the SubjectPublicKeyInfo. */
  public static String print(PublicKey key) {
    return pemText(PUBLIC_PEM, key.getEncoded());
  }

  /** The one-line form. */
  public static String printLine(PublicKey key) {
    return algorithm(key).text() + ":" + Base64.getEncoder().encodeToString(key.getEncoded());
  }

  /**
   * Signs with the key's algorithm.
   *
   * @throws IllegalArgumentException when the key is of another kind
   */
  public static byte[] sign(PrivateKey key, byte[] message) {
    Algorithm algorithm = algorithm(key);
    try {
      Signature signature = Signature.getInstance(algorithm.signature, PROVIDER);
      signature.initSign(own(algorithm, key));
      signature.update(message);
      return signature.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("the key does not sign", e);
    }
  }

  /**
   * Tells whether the key made the signature over the message.
   *
   * @throws IllegalArgumentException when the key is of another kind
   */
  public static boolean verify(PublicKey key, byte[] message, byte[] signed) {
    Algorithm algorithm = algorithm(key);
    try {
      Signature signature = Signature.getInstance(algorithm.signature, PROVIDER);
      signature.initVerify(own(algorithm, key));
      signature.update(message);
      return signature.verify(signed);
    } catch (SignatureException e) {
      return false;
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("the key does not verify", e);
    }
  }

  /** Returns the same key as an object of our provider, whichever provider made it. */
  private static PrivateKey own(Algorithm algorithm, PrivateKey key)
      throws GeneralSecurityException {
    return KeyFactory.getInstance(algorithm.keyFactory, PROVIDER)
        .generatePrivate(new PKCS8EncodedKeySpec(key.getEncoded()));
  }

  private static PublicKey own(Algorithm algorithm, PublicKey key) throws GeneralSecurityException {
    return KeyFactory.getInstance(algorithm.keyFactory, PROVIDER)
        .generatePublic(new X509EncodedKeySpec(key.getEncoded()));
  }

  /** Tells whether the two are one pair, by a signature. False for keys of other kinds, too. */
  public static boolean belong(PrivateKey key, PublicKey publicKey) {
    byte[] message = {1};
    try {
      return verify(publicKey, message, sign(key, message));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static byte[] pem(String text, String type) throws BadValueException {
    if (text.length() > MAX_KEY_TEXT) {
      throw new BadValueException("longer than a key");
    }
    try (PemReader reader = new PemReader(new StringReader(text))) {
      PemObject object = reader.readPemObject();
      if (object == null || !object.getType().equals(type)) {
        throw new BadValueException(
            "not a PEM '"
                + type
                + "'"
                + (object == null ? "" : " but " + BadValueException.quote(object.getType())));
      }
      return object.getContent();
    } catch (IOException | RuntimeException e) {
      throw new BadValueException("damaged PEM", e);
    }
  }

  private static String pemText(String type, byte[] der) {
    StringWriter text = new StringWriter();
    try (PemWriter writer = new PemWriter(text)) {
      writer.writeObject(new PemObject(type, der));
    } catch (IOException e) {
      throw new IllegalStateException("a string refused to be written", e);
    }
    return text.toString();
  }
}
