// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.bouncycastle.cms.CMSAlgorithm;
import org.bouncycastle.cms.CMSEnvelopedData;
import org.bouncycastle.cms.CMSEnvelopedDataGenerator;
import org.bouncycastle.cms.CMSException;
import org.bouncycastle.cms.CMSProcessableByteArray;
import org.bouncycastle.cms.KeyAgreeRecipientId;
import org.bouncycastle.cms.RecipientInformation;
import org.bouncycastle.cms.jcajce.JceCMSContentEncryptorBuilder;
import org.bouncycastle.cms.jcajce.JceKeyAgreeRecipientInfoGenerator;
import org.netserv.values.BadValueException;
import org.netserv.values.NodeIdentity;
import org.netserv.values.PublisherKeys;

/**
 * Properties that only named nodes can read: CMS EnvelopedData (RFC 5652) with one
 * KeyAgreeRecipientInfo per node, ephemeral ECDH on P-256 with the SHA-256 KDF of X9.63 (RFC 5753),
 * AES-256 key wrap, AES-256-CBC. A node is named by the subjectKeyIdentifier
 * SHA-256(SubjectPublicKeyInfo). EnvelopedData has no integrity of its own; the message's signature
 * covers it, so it must be opened only after that was verified.
 */
public final class Sealed {
  /** The most nodes one message can be sealed to. */
  public static final int MAX_NODES = 16;

  private Sealed() {}

  /** Seals properties; the value of {@link Header#SEALED}. */
  public static String encrypt(Map<String, String> properties, List<PublicKey> nodeKeys)
      throws BadValueException {
    return encrypt(properties, nodeKeys, new SecureRandom());
  }

  /** The same with a source of randomness for the ephemeral key and the content's key. */
  public static String encrypt(
      Map<String, String> properties, List<PublicKey> nodeKeys, SecureRandom random)
      throws BadValueException {
    if (nodeKeys.isEmpty() || nodeKeys.size() > MAX_NODES) {
      throw new BadValueException("properties are sealed to 1 to " + MAX_NODES + " nodes");
    }
    try {
      CMSEnvelopedDataGenerator generator = new CMSEnvelopedDataGenerator();
      generator.addRecipientInfoGenerator(recipients(nodeKeys, random));
      byte[] der =
          generator
              .generate(
                  new CMSProcessableByteArray(
                      ValueKind.TEXT.toBytes(PropertyList.print(properties))),
                  new JceCMSContentEncryptorBuilder(CMSAlgorithm.AES256_CBC)
                      .setProvider(PublisherKeys.PROVIDER)
                      .setSecureRandom(random)
                      .build())
              .getEncoded();
      return HeaderValues.base64(Base64.getEncoder().encodeToString(der), HeaderValues.MAX_SEALED);
    } catch (GeneralSecurityException | CMSException | IOException e) {
      throw new BadValueException("the properties cannot be sealed", e);
    }
  }

  private static JceKeyAgreeRecipientInfoGenerator recipients(
      List<PublicKey> nodeKeys, SecureRandom random)
      throws GeneralSecurityException, BadValueException {
    KeyPair ephemeral = PublisherKeys.generate(PublisherKeys.Algorithm.P256, random);
    JceKeyAgreeRecipientInfoGenerator generator =
        new JceKeyAgreeRecipientInfoGenerator(
                CMSAlgorithm.ECDH_SHA256KDF,
                ephemeral.getPrivate(),
                ephemeral.getPublic(),
                CMSAlgorithm.AES256_WRAP)
            .setProvider(PublisherKeys.PROVIDER)
            .setSecureRandom(random);
    for (PublicKey key : nodeKeys) {
      if (PublisherKeys.algorithm(key) != PublisherKeys.Algorithm.P256) {
        throw new BadValueException("properties are sealed to P-256 keys only");
      }
      generator.addRecipient(NodeIdentity.sha256(key.getEncoded()), key);
    }
    return generator;
  }

  /**
   * Opens a sealed value.
   *
   * @return null when it is not sealed to this node
   * @throws NcmException 400 naming {@link Header#SEALED} when it is damaged
   */
  public static Map<String, String> decrypt(String sealed, NodeIdentity node) throws NcmException {
    String canonical = Header.SEALED.canonical(sealed);
    try {
      CMSEnvelopedData data = new CMSEnvelopedData(Base64.getDecoder().decode(canonical));
      Collection<RecipientInformation> found =
          data.getRecipientInfos()
              .getRecipients(
                  new KeyAgreeRecipientId(NodeIdentity.sha256(node.publicKey().getEncoded())));
      if (found.isEmpty()) {
        return null;
      }
      byte[] content = node.open(found.iterator().next());
      return PropertyList.parse(ValueKind.strictUtf8(content));
    } catch (BadValueException | CMSException | RuntimeException e) {
      // Bouncy Castle meets damaged ASN.1 with a variety of unchecked exceptions.
      throw NcmException.bad(Header.SEALED, "damaged or not for this node's key");
    }
  }
}
