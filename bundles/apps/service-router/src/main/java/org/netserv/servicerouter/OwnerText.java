// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.registration.KeyType;

/**
 * An element of the property {@code owners}: {@code PREFIX=ed25519:BASE64} or {@code
 * PREFIX=p256:BASE64}, the SubjectPublicKeyInfo as {@code netserv key new} prints it.
 */
record OwnerText(ServicePrefix prefix, PublicKey key) {
  static final String PROPERTY = "owners";

  private static final Pattern OWNER =
      Pattern.compile("([^=]+)=(ed25519|p256):([A-Za-z0-9+/]+={0,2})");

  static OwnerText parse(String text) {
    Matcher parts = OWNER.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException(PROPERTY + ": not PREFIX=TYPE:BASE64: " + text);
    }
    boolean edwards = parts.group(2).equals("ed25519");
    try {
      PublicKey key =
          KeyFactory.getInstance(edwards ? "Ed25519" : "EC")
              .generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(parts.group(3))));
      KeyType unused = KeyType.of(key); // another curve is refused
      return new OwnerText(RuleText.prefix(PROPERTY, parts.group(1)), key);
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          PROPERTY + ": " + parts.group(1) + ": " + e.getMessage(), e);
    }
  }
}
