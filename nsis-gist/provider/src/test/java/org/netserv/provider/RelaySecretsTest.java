// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RelaySecretsTest {
  @ParameterizedTest
  @ValueSource(strings = {"new old", "new\nold\n", " new, old", "new;old"})
  void theFirstMakesCredentialsAndAllAreTheRelays(String text) {
    RelaySecrets secrets = RelaySecrets.of(text);
    assertArrayEquals("new".getBytes(StandardCharsets.UTF_8), secrets.first());
    assertEquals("new old", secrets.property());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " \n", ",;"})
  void thereIsOne(String text) {
    assertThrows(IllegalArgumentException.class, () -> RelaySecrets.of(text));
  }

  @Test
  void oneIsBoth() {
    assertEquals("only", RelaySecrets.of("only\n").property());
  }
}
