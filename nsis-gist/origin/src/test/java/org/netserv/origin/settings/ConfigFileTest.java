// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.policy.PolicyException;

/** Wrong settings are refused with line, key and reason. */
class ConfigFileTest {
  private static final String GOOD =
      """
      publisher: {name: news, key: secret}
      known-nodes: {file: nodes}
      state: state
      module:
        bundle: bundle.jar
        url: http://192.0.2.10/bundle.jar
        properties: {origin: "192.0.2.10:8081"}
        sealed: {admin-secret: secret}
      """;

  @TempDir Path directory;

  @BeforeEach
  void files() throws IOException {
    Path secret = Files.writeString(directory.resolve("secret"), "x");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    Path open = Files.writeString(directory.resolve("open"), "x");
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
    Files.writeString(directory.resolve("bundle.jar"), "x");
  }

  private OriginConfig read(String text) throws IOException, PolicyException {
    return ConfigFile.read(Files.writeString(directory.resolve("origin.yaml"), text));
  }

  @Test
  void defaultsAreFilledIn() throws IOException, PolicyException {
    OriginConfig config = read(GOOD);
    assertEquals("127.0.0.1:8079", config.listen());
    assertEquals("http://{address}", config.edges().url());
    assertEquals("http://{address}/", config.edges().checked());
    assertEquals(300, config.edges().nearKm());
    assertEquals(new OriginConfig.Users(24, 48, 900), config.users());
    assertEquals(new OriginConfig.Limits(10_000, 16, 600), config.limits());
    assertEquals(Map.of("admin-secret", directory.resolve("secret")), config.module().sealed());
    assertEquals(directory.resolve("state"), config.state());
    assertNull(config.places());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "listen: '192.0.2.1:8079' | $.listen: not the loopback",
        "listen: 8079 | $.listen",
        "listen: 'localhost:1' | $.listen",
        "edges: {url: 'http://edge.example'} | $.edges.url: names no node",
        "edges: {url: 'http://{address}/x'} | $.edges.url",
        "edges: {url: 'http://{address}}'} | $.edges.url: gives no URL",
        "edges: {url: 'ftp://{address}'} | $.edges.url",
        "edges: {near-km: -1} | $.edges.near-km",
        "edges: {check-interval: 0} | $.edges.check-interval",
        "users: {ipv4: 33} | $.users.ipv4",
        "limits: {addresses: 0} | $.limits.addresses",
        "other: 1 | other",
      })
  void aWrongValueIsNamed(String line, String words) {
    PolicyException refusal =
        assertThrows(PolicyException.class, () -> read(GOOD + line.strip() + "\n"));
    assertTrue(refusal.getMessage().contains(words), refusal.getMessage());
  }

  @Test
  void secretsThatEverybodyMayReadAreRefused() {
    PolicyException refusal =
        assertThrows(
            PolicyException.class,
            () -> read(GOOD.replace("admin-secret: secret", "admin-secret: open")));
    assertTrue(refusal.getMessage().contains("chmod o-rwx"), refusal.getMessage());
  }
}
