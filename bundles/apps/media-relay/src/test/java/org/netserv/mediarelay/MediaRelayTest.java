// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The module as its container starts it. */
class MediaRelayTest {
  @TempDir Path directory;

  /** Returns a port that neither UDP nor TCP has, a connection of another test included. */
  private static int freePort() throws IOException {
    for (int i = 0; i < 100; i++) {
      try (ServerSocket stream = new ServerSocket(0);
          DatagramSocket datagrams = new DatagramSocket(stream.getLocalPort())) {
        return datagrams.getLocalPort();
      } catch (BindException e) {
        // UDP has it: the next one
      }
    }
    throw new IOException("no port is free for both");
  }

  /** Properties of a relay on loopback, and more, each a name and a value. */
  private static Map<String, Object> properties(int port, String... more) {
    int first = port > 40_000 ? port - 200 : port + 100;
    Map<String, Object> properties = new HashMap<>();
    properties.put("ports", Integer.toString(port));
    properties.put("relayed", "127.0.0.1/" + first + "-" + (first + 50));
    for (int i = 0; i < more.length; i += 2) {
      properties.put(more[i], more[i + 1]);
    }
    return properties;
  }

  /** Keys are read when clients by UDP are served already. */
  @Test
  void wrongKeysAreNamedAndLeaveNothingOpen() throws IOException {
    int port = freePort();
    Map<String, Object> properties = properties(port, "secret", "north", "tls-keys", "AAAA");
    IllegalArgumentException thrown =
        assertThrows(
            IllegalArgumentException.class, () -> new MediaRelay(properties, null, directory));
    assertTrue(thrown.getMessage().startsWith("tls-keys: "), thrown.getMessage());
    new DatagramSocket(port).close();
    new ServerSocket(port).close();
  }

  private String refusal(String... more) throws IOException {
    Map<String, Object> properties = properties(freePort(), more);
    try {
      new MediaRelay(properties, null, directory).deactivate();
      return "";
    } catch (IllegalArgumentException e) {
      return e.getMessage();
    }
  }

  @Test
  void keysOfTokensServeAlone() throws IOException {
    assertTrue(refusal().startsWith("secret, users, token-keys: one of them"), refusal());
    assertEquals("", refusal("token-keys", "north:" + "0a".repeat(16) + " b:c:" + "0A".repeat(32)));
  }

  @Test
  void aWrongKeyOfTokensIsNamedAndNotShown() throws IOException {
    for (String wrong : List.of("north:12", "12", ":" + "0a".repeat(16), "n:" + "0a".repeat(24))) {
      assertEquals(
          "token-keys: an entry is not a name, a colon, and 32 or 64 hexadecimal digits",
          refusal("token-keys", wrong));
    }
    String two = "n:" + "0a".repeat(16);
    assertEquals(
        "token-keys, token-server: key n: there are two of this name",
        refusal("token-keys", two + "," + two));
    assertEquals(
        "token-keys, token-server: server: not of 1 to 255 bytes",
        refusal("token-keys", two, "token-server", "x".repeat(256)));
  }
}
