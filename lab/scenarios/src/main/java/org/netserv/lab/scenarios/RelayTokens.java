// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The keys with which {@code turnutils_uclient -J} seals tokens (RFC 7635). It has them in its
 * source, as the digits below in base64, and draws one for each Allocate and Refresh request.
 */
final class RelayTokens {
  private static final List<Key> KEYS =
      List.of(
          new Key("north", "01234567890123456789012345678901"),
          new Key("union", "1234567890123456"),
          new Key("oldempire", "12345678901234567890123456789012"));

  private RelayTokens() {}

  private record Key(String name, String digits) {}

  /** Returns the property {@code token-keys} of the module. */
  static String property() {
    return KEYS.stream()
        .map(
            key ->
                key.name()
                    + ":"
                    + HexFormat.of().formatHex(key.digits().getBytes(StandardCharsets.US_ASCII)))
        .collect(Collectors.joining(" "));
  }
}
