// SPDX-License-Identifier: Apache-2.0
package org.netserv.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Bundle;

class HostMainTest {
  private static final String REQUIRE = "Require-Capability";
  private static final String PROVIDE = "Provide-Capability";

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
    bundle(name, imports, Map.of());
  }

  private void bundle(String name, String imports, Map<String, String> headers) throws IOException {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Bundle-ManifestVersion", "2");
    main.putValue("Bundle-SymbolicName", name);
    main.putValue("Import-Package", imports);
    headers.forEach(main::putValue);
    try (OutputStream out = Files.newOutputStream(blocks.resolve(name + ".jar"));
        JarOutputStream jar = new JarOutputStream(out, manifest)) {
      jar.flush();
    }
  }

  private String boot() {
    return boot("");
  }

  private String boot(String archive) {
    return HostMain.boot(
        blocks.toString(),
        directory.resolve("framework").toString(),
        directory.resolve("data").toString(),
        "none",
        archive);
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
    bundle(
        "01-needs",
        "org.osgi.framework",
        Map.of(REQUIRE, "netserv.fastpath;filter:=\"(features=tc)\""));
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
  void whatOnlyServesModulesWaitsForThem() throws IOException {
    bundle("01-library", "org.osgi.framework");
    bundle("02-extender", "org.osgi.framework", Map.of(PROVIDE, "osgi.extender;osgi.extender=x"));
    bundle("03-service", "org.osgi.framework", Map.of(PROVIDE, "osgi.implementation"));
    assertNull(boot());
    List<String> active =
        Arrays.stream(HostMain.context().getBundles())
            .filter(bundle -> bundle.getBundleId() != 0 && bundle.getState() == Bundle.ACTIVE)
            .map(Bundle::getSymbolicName)
            .toList();
    assertEquals(List.of("01-library"), active);
  }

  @Test
  void saysThatThereAreNoBlocks() {
    assertTrue(boot().contains("no building blocks"));
  }

  /** Returns the state as the rehearsal makes it, behind other bytes. */
  private byte[] prepared() throws IOException {
    bundle("01-good", "org.netserv.host;version=\"[1,2)\"");
    assertNull(boot());
    HostMain.stop();
    Path state = directory.resolve("state");
    Prepared.save(directory.resolve("framework"), state);
    byte[] behind = Files.readAllBytes(state);
    byte[] whole = new byte[99 + behind.length];
    System.arraycopy(behind, 0, whole, 99, behind.length);
    return whole;
  }

  private long bootWith(byte[] archive) throws IOException {
    Path file = directory.resolve("archive");
    Files.write(file, archive);
    assertNull(boot(file.toString()));
    Bundle block = HostMain.context().getBundle("block:01-good.jar");
    assertEquals(Bundle.ACTIVE, block.getState());
    long installed = block.getLastModified();
    HostMain.stop();
    return installed;
  }

  @Test
  void takesWhatIsPreparedAndNothingElseThatLiesInTheStorage() throws Exception {
    byte[] archive = prepared();
    long installed = bootWith(archive);
    Path left = directory.resolve("framework/org.eclipse.osgi/99/data/left");
    Files.createDirectories(left.getParent());
    Files.writeString(left, "by a module");
    Path outside = Files.writeString(directory.resolve("outside"), "untouched");
    Files.createSymbolicLink(left.resolveSibling("link"), directory);
    TimeUnit.MILLISECONDS.sleep(2);
    assertEquals(installed, bootWith(archive), "not installed again");
    assertFalse(Files.exists(left));
    assertTrue(Files.exists(outside));
    assertNotEquals(installed, bootWith(new byte[50]), "without one it is");
  }

  @Test
  void startsWithoutWhatIsTruncatedOrBroken() throws IOException {
    byte[] archive = prepared();
    for (int length : new int[] {0, 1, 15, 16, 99, archive.length - 16, archive.length - 1}) {
      bootWith(Arrays.copyOf(archive, length));
    }
    for (int at = 99; at < archive.length - 16; at += (archive.length - 115) / 8) {
      byte[] shorter = archive.clone();
      Arrays.fill(shorter, at, archive.length - 16, (byte) 0xff);
      bootWith(shorter);
    }
    byte[] tooLong = archive.clone();
    Arrays.fill(tooLong, archive.length - 16, archive.length - 8, (byte) 0x7f);
    bootWith(tooLong);
  }
}
