// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The component's life: its threads and sockets begin and end with it. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LifeTest {
  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(Thread::isAlive)
        .map(Thread::getName)
        .filter(name -> name.startsWith("keepalive-"))
        .sorted()
        .toList();
  }

  private static Map<String, Object> properties(int port, int server) {
    return Map.of(
        "netserv.connect",
        "udp/127.0.0.1/32/5060",
        "tcp-listen",
        Integer.toString(port),
        "tcp-server",
        "127.0.0.1:" + server);
  }

  private static boolean accepts(int port) {
    try (Socket agent = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return agent.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  private static void await(int port, boolean accepting) {
    while (accepts(port) != accepting) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void threadsAndPortsComeAndGoWithTheComponent() throws IOException {
    int one = free();
    int two = free();
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      KeepAlive module = new KeepAlive(properties(one, server.getLocalPort()));
      assertEquals(List.of(), threads());
      module.activate();
      await(one, true);
      assertEquals(List.of("keepalive-link", "keepalive-streams"), threads());
      module.modified(properties(two, server.getLocalPort()));
      await(two, true);
      await(one, false);
      assertEquals(List.of("keepalive-link", "keepalive-streams"), threads());
      assertThrows(
          IllegalArgumentException.class, () -> module.modified(Map.of("watch", "perhaps")));
      await(two, true); // the old properties stay in force
      module.modified(Map.of());
      await(two, false);
      assertEquals(List.of(), threads()); // no grant, so nothing to ask
      module.modified(properties(two, server.getLocalPort()));
      await(two, true);
      module.deactivate();
      await(two, false);
      assertEquals(List.of(), threads());
    }
  }

  private static int free() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
