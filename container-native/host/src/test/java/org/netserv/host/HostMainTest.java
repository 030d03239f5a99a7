// SPDX-License-Identifier: Apache-2.0
package org.netserv.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostMainTest {
  @TempDir Path directory;
  private Path blocks;

  @BeforeEach
  void make() throws IOException {
    blocks = Files.createDirectory(directory.resolve("blocks"));
  }

  @AfterEach
  void stop() {
    System.clearProperty(HostMain.FASTPATH);
    HostMain.stop();
  }

  private void bundle(String name, String imports) throws IOException {
    bundle(name, imports, "");
  }

  private void bundle(String name, String imports, String requires) throws IOException {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Bundle-ManifestVersion", "2");
    main.putValue("Bundle-SymbolicName", name);
    main.putValue("Import-Package", imports);
    if (!requires.isEmpty()) {
      main.putValue("Require-Capability", requires);
    }
    try (OutputStream out = Files.newOutputStream(blocks.resolve(name + ".jar"));
        JarOutputStream jar = new JarOutputStream(out, manifest)) {
      jar.flush();
    }
  }

  private String boot() {
    return HostMain.boot(
        blocks.toString(),
        directory.resolve("framework").toString(),
        directory.resolve("data").toString(),
        "none");
  }

  @Test
  void startsWhatResolvesAndOnlyOnce() throws IOException {
    bundle("01-good", "org.netserv.host;version=\"[1,2)\"");
    assertNull(boot());
    assertNotNull(boot());
    HostMain.stop();
    assertNull(boot(), "and again after a stop");
  }

  @Test
  void saysWhichBlockDoesNotStartAndWhatItLacks() throws IOException {
    bundle("01-good", "org.osgi.framework");
    bundle("02-bad", "org.nowhere");
    String why = boot();
    assertTrue(why.contains("02-bad.jar") && why.contains("org.nowhere"), why);
  }

  @Test
  void aBundleMayRequireTheFastPath() throws IOException {
    bundle("01-needs", "org.osgi.framework", "netserv.fastpath;filter:=\"(features=tc)\"");
    String why = boot();
    assertTrue(why.contains("01-needs.jar") && why.contains("netserv.fastpath"), why);
    HostMain.stop();
    System.setProperty(HostMain.FASTPATH, "xdp-native,tc");
    assertNull(boot());
    assertEquals("xdp-native,tc", HostMain.context().getProperty(HostMain.FASTPATH));
    HostMain.stop();
    System.setProperty(HostMain.FASTPATH, "xdp-native");
    assertNotNull(boot());
  }

  @Test
  void saysThatThereAreNoBlocks() {
    assertTrue(boot().contains("no building blocks"));
  }
}
