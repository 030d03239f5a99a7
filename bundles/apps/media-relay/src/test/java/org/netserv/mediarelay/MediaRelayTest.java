// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.nio.file.Path;
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

  /** Keys are read when clients by UDP are served already. */
  @Test
  void wrongKeysAreNamedAndLeaveNothingOpen() throws IOException {
    int port = freePort();
    int first = port > 40_000 ? port - 200 : port + 100;
    Map<String, Object> properties =
        Map.of(
            "secret",
            "north",
            "ports",
            Integer.toString(port),
            "relayed",
            "127.0.0.1/" + first + "-" + (first + 50),
            "tls-keys",
            "AAAA");
    IllegalArgumentException thrown =
        assertThrows(
            IllegalArgumentException.class, () -> new MediaRelay(properties, null, directory));
    assertTrue(thrown.getMessage().startsWith("tls-keys: "), thrown.getMessage());
    new DatagramSocket(port).close();
    new ServerSocket(port).close();
  }
}
