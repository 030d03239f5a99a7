// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The process as the supervisor starts it, without sigio and without a controller. */
class SignalingMainTest {
  private static final String MAIN = "org.netserv.signaling.SignalingMain";

  @TempDir Path root;

  private Path nodeYaml(String content) throws Exception {
    Path file = Files.createDirectories(root.resolve("etc/netserv")).resolve("node.yaml");
    return Files.writeString(file, content);
  }

  @Test
  void startsReloadsAndStops() throws Exception {
    nodeYaml("signaling: {port: 0, tls-port: 0}\n");
    try (Daemon daemon = new Daemon(root, MAIN)) {
      daemon.says("ready");
      Path key = root.resolve("var/lib/netserv/signaling/gist-tls.pem");
      assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(key)));
      nodeYaml("signaling: {port: 0, tls-port: 0, peers: ['deny any']}\n");
      daemon.signal("HUP");
      daemon.says("policy loaded again");
      nodeYaml("signaling: {peers: ['allow dns:*.*.example']}\n");
      daemon.signal("HUP");
      daemon.says("the old policy stays");
      daemon.signal("TERM");
      assertEquals(0, daemon.end(), daemon.text());
    }
  }

  @Test
  void writesWhatTheOperatorWants() throws Exception {
    String ports = "signaling: {port: 0, tls-port: 0}\n";
    nodeYaml("log: {level: error}\n" + ports);
    try (Daemon daemon = new Daemon(root, MAIN)) {
      Path key = root.resolve("var/lib/netserv/signaling/gist-tls.pem");
      Daemon.await(() -> Files.exists(key), "its key");
      nodeYaml("signaling: {peers: ['allow dns:*.*.example']}\n");
      daemon.signal("HUP");
      daemon.says("the old policy stays");
      nodeYaml(ports);
      daemon.signal("HUP");
      daemon.says("policy loaded again");
      daemon.signal("TERM");
      assertEquals(0, daemon.end(), daemon.text());
      assertFalse(daemon.text().contains("ready"), daemon.text());
    }
  }

  @Test
  void keepsItsKey() throws Exception {
    String first;
    try (Daemon daemon = new Daemon(root, MAIN)) {
      first = key(daemon.says("ready"));
      // SIGKILL: nothing is written at the end.
    }
    try (Daemon daemon = new Daemon(root, MAIN)) {
      Daemon.await(() -> daemon.text().split("key ").length == 3, "second start");
      assertTrue(daemon.text().lastIndexOf(first) > daemon.text().indexOf(first));
    }
  }

  private static String key(Daemon daemon) throws Exception {
    String text = daemon.text();
    int at = text.indexOf("key ") + 4;
    return text.substring(at, at + 64);
  }

  @Test
  void refusesToStartWithABadPolicy() throws Exception {
    nodeYaml("signaling: {security: none}\n");
    try (Daemon daemon = new Daemon(root, MAIN)) {
      assertEquals(1, daemon.end());
      assertTrue(daemon.text().contains("$.signaling.security"), daemon.text());
    }
  }

  @Test
  void usage() throws Exception {
    try (Daemon daemon = new Daemon(root, MAIN, "--surprise", "1")) {
      assertEquals(2, daemon.end());
    }
  }
}
