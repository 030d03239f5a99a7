// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.module.ModuleProperties;

class StreamSettingsTest {
  private static StreamSettings of(Map<String, String> properties) {
    return StreamSettings.of(new ModuleProperties(properties));
  }

  @ParameterizedTest
  @CsvSource({
    "tcp-listen, 65536, tcp-listen",
    "tcp-listen, 5060, tcp-server",
    "tcp-server, 192.0.2.10, tcp-server",
    "tcp-server, 192.0.2.10:0, tcp-server",
    "tcp-server, '[192.0.2.10]:5060', tcp-server",
    "tcp-server, 2001:db8::1:5060, tcp-server",
    "tcp-server, sip.example:5060, tcp-server",
    "tcp-streams, 0, tcp-streams",
    "tcp-idle, 9, tcp-idle"
  })
  void aWrongPropertyIsNamed(String name, String value, String named) {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> of(Map.of(name, value)));
    assertTrue(e.getMessage().startsWith(named + ":"), e.getMessage());
  }

  @Test
  void thereAreNoStreamsUnlessTheyAreAskedFor() {
    StreamSettings settings = of(Map.of());
    assertEquals(0, settings.listen());
    assertNull(settings.server());
  }

  @Test
  void theServersAddressIsRead() {
    StreamSettings settings = of(Map.of("tcp-listen", "5060", "tcp-server", "[2001:db8::1]:5061"));
    assertEquals(5061, settings.server().getPort());
    assertEquals("2001:db8:0:0:0:0:0:1", settings.server().getAddress().getHostAddress());
  }
}
