// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval.controller;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.command.JsonCommand;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.registration.Delegation;
import org.netserv.serval.registration.SigningKey;
import org.netserv.values.BadValueException;
import org.netserv.values.PublisherKeys;
import org.netserv.values.PublisherKeys.Algorithm;

/** The words, files and views that a controller reads. */
class ControllerSettingsTest {
  private static final Path SALD = Path.of("/sald");

  @TempDir Path dir;

  private static void refused(String router, String check) {
    assertThrows(
        IllegalArgumentException.class,
        () -> ControllerSettings.of(SALD, SALD, null, List.of(router), List.of(check)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "router", "10.2", "192.0.2.1:0", "192.0.2.1:65536", "300.1.1.1", "224.0.0.1"})
  void aBadRouterIsRefused(String router) {
    refused(router, "4001=tcp");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "4001", "4001=", "4001=udp", "xyz=tcp", "40/999=tcp", "40=http/a b"})
  void aBadCheckIsRefused(String check) {
    refused("192.0.2.1", check);
  }

  @Test
  void addressesAreReadAsTheyArePrinted() {
    for (String text : List.of("192.0.2.1:54325", "[2001:db8:0:0:0:0:0:1]:7")) {
      assertEquals(text, Texts.print(Texts.endpoint(text, 1)));
    }
    assertEquals("[2001:db8:0:0:0:0:0:1]:5", Texts.print(Texts.endpoint("2001:db8::1", 5)));
    assertEquals("default", Texts.print(ServicePrefix.DEFAULT));
    assertEquals("00004001" + "0".repeat(56) + "/32", Texts.print(Texts.prefix("00004001")));
    assertEquals(20, Texts.prefix("0000400000/20").bits());
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void aKeyIsReadWithItsPublicOne(Algorithm algorithm) throws Exception {
    KeyPair pair = PublisherKeys.generate(algorithm);
    Path key = Files.writeString(dir.resolve("a.key"), PublisherKeys.print(pair.getPrivate()));
    Path beside = dir.resolve("a.pub");
    Files.writeString(beside, PublisherKeys.printLine(pair.getPublic()));
    SigningKey read = KeyFiles.read(key);
    assertArrayEquals(pair.getPublic().getEncoded(), read.pair().getPublic().getEncoded());
    ServicePrefix prefix = Texts.prefix("00004001");
    assertNotNull(Delegation.sign(read.pair(), pair.getPublic(), prefix, 1), "the key signs");
    Files.writeString(
        beside, PublisherKeys.printLine(PublisherKeys.generate(algorithm).getPublic()));
    assertThrows(BadValueException.class, () -> KeyFiles.read(key));
  }

  @Test
  void rulesOfOnePrefixAreOneOffer() throws Exception {
    String id = "00004001" + "0".repeat(56);
    String rule =
        "{\"id\":\"" + id + "\",\"bits\":32,\"weight\":%d,\"protocol\":\"%s\",\"target\":\"%s\"}";
    String view =
        "{\"offers\":["
            + rule.formatted(2, "udp", "[::]:53")
            + ","
            + rule.formatted(1, "tcp", "192.0.2.1:80")
            + "]}";
    ServicePrefix prefix = Texts.prefix("00004001");
    assertEquals(
        Map.of(prefix, new Offer(prefix, 2, "192.0.2.1:80")),
        Offer.read(JsonCommand.MAPPER.readTree(view)));
  }

  /** Each call has the result of the try before. */
  @Test
  void aCheckAsksTheProgram() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    int[] status = {200};
    server.createContext(
        "/health",
        exchange -> {
          exchange.sendResponseHeaders(status[0], -1);
          exchange.close();
        });
    server.start();
    BooleanSupplier http = Check.parse("4001=http/health").of(server.getAddress(), Runnable::run);
    BooleanSupplier tcp = Check.parse("4001=tcp").of(server.getAddress(), Runnable::run);
    assertTrue(http.getAsBoolean());
    status[0] = 503;
    assertTrue(http.getAsBoolean());
    assertFalse(http.getAsBoolean());
    assertTrue(tcp.getAsBoolean());
    server.stop(0);
    assertTrue(tcp.getAsBoolean());
    assertFalse(tcp.getAsBoolean());
  }
}
