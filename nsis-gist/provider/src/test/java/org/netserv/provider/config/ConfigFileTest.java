// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.config;

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
      publisher: {name: sip, key: secret}
      known-nodes: {file: nodes}
      state: state
      path: {from: 192.0.2.10, check: 60}
      keepalive:
        module:
          bundle: bundle.jar
          url: http://192.0.2.10/bundle.jar
          properties: {pass-every: "0"}
        reports: {listen: "192.0.2.10:5099", key: secret}
      """;

  @TempDir Path directory;

  @BeforeEach
  void files() throws IOException {
    Path secret = Files.writeString(directory.resolve("secret"), "x");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    Files.writeString(directory.resolve("bundle.jar"), "x");
  }

  private ProviderConfig read(String text) throws IOException, PolicyException {
    return ConfigFile.read(Files.writeString(directory.resolve("provider.yaml"), text));
  }

  @Test
  void defaultsAreFilledInAlsoInsideOfAModule() throws IOException, PolicyException {
    ProviderConfig config = read(GOOD);
    assertEquals(600, config.keepalive().module().ttl());
    assertEquals(Map.of("pass-every", "0"), config.keepalive().module().properties());
    assertEquals(3, config.keepalive().reports().silent());
    assertEquals(16, config.limits().inFlight());
    assertEquals(Path.of("/run/kamailio/kamailio_ctl"), config.kamailio().socket());
    assertEquals(directory.resolve("state"), config.state());
    assertNull(config.mediaRelay());
  }

  @Test
  void theLoadMonitorAloneIsEnough() throws IOException, PolicyException {
    String text = GOOD.substring(0, GOOD.indexOf("keepalive:")) + "overload: {file: bundle.jar}\n";
    ProviderConfig config = read(text);
    assertEquals(directory.resolve("bundle.jar"), config.overload().file());
    PolicyException refusal =
        assertThrows(PolicyException.class, () -> read(text.replace("bundle.jar", "none")));
    assertTrue(refusal.getMessage().contains("$.overload.file: no readable"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "state: state           | states: state          | $.state: missing",
        "check: 60              | check: 1               | $.path.check: 1 is below 2",
        "check: 60              | chek: 60               | $.path.chek: unknown key",
        "from: 192.0.2.10       | from: example.com      | $.path.from",
        "key: secret            | key: nothing           | $.publisher.key: no readable file",
        "bundle: bundle.jar     | bundle: nothing.jar    | $.keepalive.module.bundle: no readable",
        "192.0.2.10:5099        | 192.0.2.10:70000       | $.keepalive.reports.listen: not a port",
        "keepalive:             | media-relay:           | $.media-relay",
        "name: sip              | name: -sip             | $.publisher.name"
      })
  void aWrongKeyIsNamedWithItsReason(String from, String to, String reason) {
    PolicyException refusal =
        assertThrows(PolicyException.class, () -> read(GOOD.replaceFirst(from, to)));
    assertTrue(refusal.getMessage().contains(reason), refusal.getMessage());
  }

  @Test
  void aSecretThatEverybodyMayReadIsRefused() throws IOException {
    Files.setPosixFilePermissions(
        directory.resolve("secret"), PosixFilePermissions.fromString("rw-r--r--"));
    PolicyException refusal = assertThrows(PolicyException.class, () -> read(GOOD));
    assertTrue(refusal.getMessage().contains("$.publisher.key: everybody"), refusal.getMessage());
  }
}
