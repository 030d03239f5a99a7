// SPDX-License-Identifier: Apache-2.0
package org.netserv.module;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Collections;

/**
 * Reads keys with their certificates out of a property: PKCS #12 (RFC 7292) in base64, which may be
 * broken into lines. Such a property comes in {@code sealed}, because others may read a SETUP.
 */
public final class KeyFile {
  private KeyFile() {}

  /**
   * Reads a file with one key at least.
   *
   * @param password of the file and of its keys
   * @throws IllegalArgumentException if there is no such file, or no key in it
   */
  public static KeyStore read(String text, String password) {
    KeyStore store;
    boolean hasKey = false;
    try {
      store = KeyStore.getInstance("PKCS12");
      byte[] bytes = Base64.getMimeDecoder().decode(text);
      store.load(new ByteArrayInputStream(bytes), password.toCharArray());
      for (String alias : Collections.list(store.aliases())) {
        hasKey |= store.isKeyEntry(alias);
      }
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalArgumentException("no PKCS #12 with this password: " + e.getMessage(), e);
    }
    if (!hasKey) {
      throw new IllegalArgumentException("no key in it");
    }
    return store;
  }
}
