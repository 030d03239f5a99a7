// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.netserv.http.FieldSection;

/**
 * Reads Surrogate-Key of a response: keys separated by blanks, by which a purge finds all responses
 * that belong together.
 */
final class SurrogateKeys {
  private static final byte[] NAME = "surrogate-key".getBytes(StandardCharsets.US_ASCII);
  private static final int MOST = 64;
  private static final int LONGEST = 256;

  private SurrogateKeys() {}

  /** Returns the keys, or null if they are too many or too long to be remembered. */
  static Set<String> of(FieldSection fields) {
    int line = fields.next(NAME, 0, NAME.length, 0);
    if (line < 0) {
      return Set.of();
    }
    Set<String> keys = new HashSet<>();
    while (line >= 0) {
      for (String key : fields.text(line).split("[ \\t]+", -1)) {
        if (key.length() > LONGEST) {
          return null;
        }
        if (!key.isEmpty()) {
          keys.add(key);
        }
      }
      if (keys.size() > MOST) {
        return null;
      }
      line = fields.next(NAME, 0, NAME.length, line + 1);
    }
    return keys;
  }
}
