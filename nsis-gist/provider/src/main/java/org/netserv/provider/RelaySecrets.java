// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * The secrets that the provider shares with relays. The first makes credentials, and relays take
 * those of all, so that a secret can be changed while credentials of the old one are in use.
 */
final class RelaySecrets {
  private final List<String> all;

  private RelaySecrets(List<String> all) {
    this.all = all;
  }

  /**
   * Reads secrets parted by blanks, lines, commas or semicolons, as the module's property is.
   *
   * @throws IllegalArgumentException if there is none
   */
  static RelaySecrets of(String text) {
    List<String> all =
        Arrays.stream(text.split("[\\s,;]+")).filter(secret -> !secret.isEmpty()).toList();
    if (all.isEmpty()) {
      throw new IllegalArgumentException("no secret");
    }
    return new RelaySecrets(all);
  }

  /** Returns the secret of new credentials. */
  byte[] first() {
    return all.get(0).getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the module's property. */
  String property() {
    return String.join(" ", all);
  }
}
