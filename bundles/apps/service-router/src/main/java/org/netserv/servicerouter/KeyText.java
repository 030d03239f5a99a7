// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.netserv.module.ModuleProperties;
import org.netserv.serval.registration.SigningKey;

/**
 * The property {@code parent-key}: {@code ed25519:PRIVATE:PUBLIC} or {@code p256:PRIVATE:PUBLIC},
 * PKCS #8 and SubjectPublicKeyInfo in base64.
 */
final class KeyText {
  static final String PROPERTY = "parent-key";

  private static final Pattern KEY =
      Pattern.compile("(ed25519|p256):([A-Za-z0-9+/]+={0,2}):([A-Za-z0-9+/]+={0,2})");

  private KeyText() {}

  /** Reads the key, null if there is none. No message shows the property's value. */
  static SigningKey of(ModuleProperties properties) {
    String text = properties.text(PROPERTY, "");
    if (text.isEmpty()) {
      return null;
    }
    Matcher parts = KEY.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException(PROPERTY + ": not TYPE:PRIVATE:PUBLIC in base64");
    }
    try {
      KeyFactory keys = KeyFactory.getInstance(parts.group(1).equals("p256") ? "EC" : "Ed25519");
      Base64.Decoder base64 = Base64.getDecoder();
      return new SigningKey(
          new KeyPair(
              keys.generatePublic(new X509EncodedKeySpec(base64.decode(parts.group(3)))),
              keys.generatePrivate(new PKCS8EncodedKeySpec(base64.decode(parts.group(2))))));
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new IllegalArgumentException(PROPERTY + ": no key of its type", e);
    }
  }
}
