// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact;

import java.util.Locale;

/**
 * Selects the entries that belong to the signature itself, by the JAR specification (compared
 * without case).
 */
final class SignatureNames {
  static final String MANIFEST = "META-INF/MANIFEST.MF";
  private static final String DIRECTORY = "META-INF/";

  private SignatureNames() {}

  static boolean isSignature(String name) {
    return isSignatureFile(name)
        || isBlock(name)
        || (inMetaInf(name) && upper(name).startsWith("META-INF/SIG-"));
  }

  static boolean isSignatureFile(String name) {
    return inMetaInf(name) && upper(name).endsWith(".SF");
  }

  static boolean isBlock(String name) {
    String upper = upper(name);
    return inMetaInf(name)
        && (upper.endsWith(".RSA") || upper.endsWith(".DSA") || upper.endsWith(".EC"));
  }

  private static boolean inMetaInf(String name) {
    return upper(name).startsWith(DIRECTORY) && name.indexOf('/', DIRECTORY.length()) < 0;
  }

  private static String upper(String name) {
    return name.toUpperCase(Locale.ROOT);
  }
}
