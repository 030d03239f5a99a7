// SPDX-License-Identifier: Apache-2.0
package org.netserv.values;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.Set;
import org.bouncycastle.cms.CMSException;
import org.bouncycastle.cms.RecipientInformation;
import org.bouncycastle.cms.jcajce.JceKeyAgreeEnvelopedRecipient;
import org.bouncycastle.jce.ECNamedCurveTable;
import org.bouncycastle.jce.interfaces.ECPrivateKey;
import org.bouncycastle.jce.spec.ECNamedCurveParameterSpec;
import org.bouncycastle.jce.spec.ECPublicKeySpec;

/**
 * The identity of a node: a P-256 key made at its first start. The node-id is the start of the hash
 * of the public key, so a key proves a node-id and nobody has to hand out node-ids.
 */
public final class NodeIdentity {
  /** Characters of a node-id: 130 bits of the hash. */
  public static final int NODE_ID_LENGTH = 26;

  private static final String BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

  private final PrivateKey privateKey;
  private final PublicKey publicKey;
  private final String nodeId;

  private NodeIdentity(PrivateKey privateKey, PublicKey publicKey) {
    this.privateKey = privateKey;
    this.publicKey = publicKey;
    this.nodeId = nodeId(publicKey);
  }

  /** The identity in a PKCS#8 PEM file; makes the file, mode 0600, when there is none. */
  public static NodeIdentity loadOrCreate(Path file) throws IOException, BadValueException {
    return loadOrCreate(file, new SecureRandom());
  }

  /**
   * Loads or creates the identity with a source of randomness. Two processes that start at once get
   * the same identity.
   */
  public static NodeIdentity loadOrCreate(Path file, SecureRandom random)
      throws IOException, BadValueException {
    if (!Files.exists(file)) {
      create(file, random);
    }
    return of(PublisherKeys.readPrivate(file));
  }

  /** A new identity that is stored nowhere. */
  public static NodeIdentity generate(SecureRandom random) {
    KeyPair pair = PublisherKeys.generate(PublisherKeys.Algorithm.P256, random);
    return new NodeIdentity(pair.getPrivate(), pair.getPublic());
  }

  /**
   * 26 characters of base32 (RFC 4648, lower case): the first 130 bits of SHA-256 over the
   * SubjectPublicKeyInfo.
   */
  public static String nodeId(PublicKey key) {
    byte[] hash = sha256(key.getEncoded());
    StringBuilder id = new StringBuilder(NODE_ID_LENGTH);
    for (int i = 0; i < NODE_ID_LENGTH; i++) {
      int value = 0;
      for (int bit = i * 5; bit < i * 5 + 5; bit++) {
        value = (value << 1) | ((hash[bit / 8] >> (7 - bit % 8)) & 1);
      }
      id.append(BASE32.charAt(value));
    }
    return id.toString();
  }

  public String nodeId() {
    return nodeId;
  }

  public PublicKey publicKey() {
    return publicKey;
  }

  /** ECDSA over SHA-256, DER. */
  public byte[] sign(byte[] message) {
    return PublisherKeys.sign(privateKey, message);
  }

  /**
   * Opens a message that was sealed to this node. Signing and opening are the only uses of its key,
   * which stays here.
   */
  public byte[] open(RecipientInformation sealed) throws CMSException {
    return sealed.getContent(
        new JceKeyAgreeEnvelopedRecipient(privateKey).setProvider(PublisherKeys.PROVIDER));
  }

  /** The SHA-256 of some bytes: of a public key's SubjectPublicKeyInfo, it names the key. */
  public static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /**
   * Creates the file. The key is written to a file aside and linked into place, so that the file is
   * never there in part, and a second starter's file is kept.
   */
  private static void create(Path file, SecureRandom random) throws IOException {
    Path parent = file.toAbsolutePath().getParent();
    KeyPair pair = PublisherKeys.generate(PublisherKeys.Algorithm.P256, random);
    ByteBuffer pem = StandardCharsets.US_ASCII.encode(PublisherKeys.print(pair.getPrivate()));
    Path aside =
        Files.createTempFile(
            parent,
            file.getFileName().toString(),
            ".new",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try {
      Set<StandardOpenOption> options = EnumSet.of(StandardOpenOption.WRITE);
      try (FileChannel channel = FileChannel.open(aside, options)) {
        while (pem.hasRemaining()) {
          channel.write(pem);
        }
        channel.force(true);
      }
      Files.createLink(file, aside);
    } catch (FileAlreadyExistsException e) {
      // Another process was faster; its identity is the node's.
      return;
    } finally {
      Files.delete(aside);
    }
    try (FileChannel directory = FileChannel.open(parent, StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  private static NodeIdentity of(PrivateKey key) throws BadValueException {
    if (!(key instanceof ECPrivateKey ec)) {
      throw new BadValueException("a node's key is a P-256 key");
    }
    ECNamedCurveParameterSpec curve = ECNamedCurveTable.getParameterSpec("P-256");
    try {
      ECPublicKeySpec spec =
          new ECPublicKeySpec(curve.getG().multiply(ec.getD()).normalize(), curve);
      PublicKey point = KeyFactory.getInstance("EC", PublisherKeys.PROVIDER).generatePublic(spec);
      // Named curve and uncompressed point, whichever way the spec made the object.
      return new NodeIdentity(key, PublisherKeys.readSpki(point.getEncoded()));
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new BadValueException("not a usable P-256 key", e);
    }
  }

  /** The node-id; never the key. */
  @Override
  public String toString() {
    return nodeId;
  }
}
