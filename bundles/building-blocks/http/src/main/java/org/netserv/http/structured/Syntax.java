// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.structured;

import org.netserv.http.Octets;

/** The character classes of RFC 9651 section 3. */
final class Syntax {
  private Syntax() {}

  static boolean isLower(int c) {
    return c >= 'a' && c <= 'z';
  }

  static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  static boolean beginsKey(int c) {
    return isLower(c) || c == '*';
  }

  static boolean isInKey(int c) {
    return isLower(c) || isDigit(c) || c == '_' || c == '-' || c == '.' || c == '*';
  }

  static boolean beginsToken(int c) {
    return isLower(c) || (c >= 'A' && c <= 'Z') || c == '*';
  }

  static boolean isInToken(int c) {
    return c == ':' || c == '/' || (c > 0 && c < 0x80 && Octets.isToken((byte) c));
  }

  static boolean isKey(String key) {
    return !key.isEmpty() && beginsKey(key.charAt(0)) && key.chars().allMatch(Syntax::isInKey);
  }
}
