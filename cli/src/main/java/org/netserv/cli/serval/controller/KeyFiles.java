// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval.controller;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import org.netserv.serval.registration.SigningKey;
import org.netserv.values.BadValueException;
import org.netserv.values.PublisherKeys;

/** The files of a key, as {@code netserv key new} makes them: NAME.key and NAME.pub. */
public final class KeyFiles {
  private KeyFiles() {}

  /**
   * Reads the key that signs registrations.
   *
   * @param file the private key. The public one lies beside it, and ends in .pub
   * @throws BadValueException if the files are no pair of keys
   */
  public static SigningKey read(Path file) throws IOException, BadValueException {
    PrivateKey own = PublisherKeys.readPrivate(file);
    Path beside = beside(file);
    PublicKey known = PublisherKeys.readPublic(Files.readString(beside, StandardCharsets.US_ASCII));
    if (!PublisherKeys.belong(own, known)) {
      throw new BadValueException(beside + " is not the public key of " + file);
    }
    String factory =
        PublisherKeys.algorithm(known) == PublisherKeys.Algorithm.P256 ? "EC" : "Ed25519";
    try {
      KeyFactory keys = KeyFactory.getInstance(factory); // of the JDK, by which the block signs
      return new SigningKey(
          new KeyPair(
              keys.generatePublic(new X509EncodedKeySpec(known.getEncoded())),
              keys.generatePrivate(new PKCS8EncodedKeySpec(der(PublisherKeys.print(own))))));
    } catch (GeneralSecurityException e) {
      throw new BadValueException("not a key of Ed25519 or P-256", e);
    }
  }

  private static Path beside(Path file) {
    String name = file.getFileName().toString().replaceFirst("\\.[^.]*$", "");
    return file.resolveSibling(name + ".pub");
  }

  private static byte[] der(String pem) {
    return Base64.getMimeDecoder().decode(pem.replaceAll("-----[^-]*-----", ""));
  }
}
