// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.activecdn.net.Server;

class CdnSettingsTest {
  private static final long HEAP = 64L << 20;

  private static Server.Plan plan(String... properties) {
    Map<String, Object> map = new HashMap<>(Map.of("origin", "192.0.2.1:8080"));
    for (int i = 0; i < properties.length; i += 2) {
      map.put(properties[i], properties[i + 1]);
    }
    return new CdnSettings(map, Path.of("/data")).plan(HEAP, "0a");
  }

  @Test
  void defaults() {
    Server.Plan plan = plan();
    assertEquals(80, plan.listening().port());
    assertEquals("/192.0.2.1:8080", plan.origin().toString());
    assertEquals(HEAP / 4, plan.room().memoryBytes());
    assertEquals(0, plan.room().diskBytes());
    assertEquals("/data/activecdn-responses", plan.room().directory().toString());
    assertEquals(HEAP / 16, plan.edge().entryBytes());
    assertEquals("activecdn-0a", plan.edge().via());
    assertEquals("", plan.edge().orders().secret());
    assertEquals(Set.of(), plan.edge().hosts());
    assertEquals(1024, plan.server().share());
    assertEquals(10_000, plan.server().head());
  }

  @Test
  void hostsAreAListInLowerCase() {
    assertEquals(
        Set.of("a.example", "b.example"), plan("hosts", "A.example; b.EXAMPLE").edge().hosts());
  }

  @Test
  void takenConnectionsNeedHosts() {
    assertEquals(
        Set.of("a.example"), plan("transparent", "on", "hosts", "a.example").edge().hosts());
    assertEquals(Set.of(), plan("transparent", "off").edge().hosts());
  }

  @Test
  void balancersArePrefixes() {
    assertEquals(
        3,
        plan("proxy-protocol-from", "192.0.2.7 198.51.100.0/24; 2001:db8::/32")
            .server()
            .balancers()
            .size());
  }

  @Test
  void aLogNeedsItsReader() {
    Server.Plan plan = plan("access-log-kib", "64", "admin-secret", "0123456789abcdef");
    assertEquals(64 << 10, plan.edge().orders().logBytes());
    assertEquals(0, plan().edge().orders().logBytes());
  }

  @Test
  void anIpv6OriginIsInBrackets() {
    assertEquals(8080, plan("origin", "[2001:db8::1]:8080").origin().getPort());
  }

  @ParameterizedTest
  @CsvSource({
    "origin, 192.0.2.1",
    "origin, :80",
    "origin, 192.0.2.1:0",
    "origin, 192.0.2.1:x",
    "origin, http://192.0.2.1:80",
    "port, 65536",
    "tls-keys, AAAA",
    "signed-prefixes, /video/",
    "url-keys, k1:00",
    "url-keys, 00112233445566778899aabbccddeeff",
    "tls-keys, '!'",
    "name, a b",
    "store-kib, 0",
    "store-kib, 49153",
    "entry-kib, 999999",
    "slice-kib, 999999",
    "slice-kib, -1",
    "hosts, a/b",
    "transparent, on",
    "transparent, yes",
    "admin-path, x",
    "admin-path, /x/",
    "admin-secret, short",
    "access-log-kib, 64",
    "access-log-kib, 8193",
    "proxy-protocol-from, lb.example",
    "proxy-protocol-from, 192.0.2.0/33",
    "proxy-protocol-from, 2001:db8::/x",
    "connections, 0",
    "connections-per-address, 5000",
    "negative-seconds, -1",
    "client-directives, maybe",
    "head-seconds, 0",
    "origin-connections, 0"
  })
  void wrongPropertiesAreNamed(String name, String value) {
    IllegalArgumentException error =
        assertThrows(IllegalArgumentException.class, () -> plan(name, value));
    assertTrue(error.getMessage().startsWith(name), error.getMessage());
  }

  @Test
  void theOriginIsNeeded() {
    assertThrows(
        IllegalArgumentException.class,
        () -> new CdnSettings(Map.of(), Path.of("/data")).plan(HEAP, "0a"));
  }
}
