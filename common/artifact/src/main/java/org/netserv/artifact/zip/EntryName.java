// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.zip;

import static org.netserv.artifact.refusal.VerifyException.Reason.NAME;

import java.text.Normalizer;
import org.netserv.artifact.refusal.VerifyException;

/** Names that mean the same file to every reader: relative, in segments, of one spelling. */
final class EntryName {
  private static final int LONGEST = 512;

  private EntryName() {}

  static void check(String name) throws VerifyException {
    if (name.isEmpty() || name.length() > LONGEST) {
      throw new VerifyException(
          NAME, "an entry's name has " + name.length() + " characters, not 1 to " + LONGEST);
    }
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c == '\\'
          || c == ':'
          || Character.isISOControl(c)
          || (Character.isSurrogate(c) && !pair(name, i))) {
        throw new VerifyException(
            NAME, "an entry's name has the character " + String.format("U+%04X", (int) c));
      }
    }
    if (!Normalizer.isNormalized(name, Normalizer.Form.NFC)) {
      throw new VerifyException(NAME, name + ": could be spelled otherwise (not in normal form C)");
    }
    String path = name.endsWith("/") ? name.substring(0, name.length() - 1) : name;
    for (String segment : path.split("/", -1)) {
      if (segment.isEmpty() || segment.equals(".") || segment.equals("..")) {
        throw new VerifyException(NAME, name + ": not a plain relative path");
      }
    }
  }

  private static boolean pair(String name, int i) {
    return Character.isHighSurrogate(name.charAt(i))
        ? i + 1 < name.length() && Character.isLowSurrogate(name.charAt(i + 1))
        : i > 0 && Character.isHighSurrogate(name.charAt(i - 1));
  }
}
