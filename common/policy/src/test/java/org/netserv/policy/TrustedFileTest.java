// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.policy.TrustedFile.Owned;

class TrustedFileTest {
  private static final int ADMINISTRATOR = 1000;
  private static final int STRANGER = 1001;

  @TempDir private Path dir;

  private static void mode(Path path, String mode) throws Exception {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
  }

  private void refused(Path which) throws Exception {
    PolicyException e = assertThrows(PolicyException.class, () -> NodePolicy.load(dir));
    assertEquals(which, e.file());
    assertEquals("everybody may write to it: chmod o-w", e.reason());
  }

  @ParameterizedTest
  @ValueSource(strings = {"node.yaml", "publishers.d/alice.yaml", "anchors.d/ca.pem"})
  void whatEverybodyMayWriteIsNoPolicy(String name) throws Exception {
    new Etc(dir).node("sysctl: check").anchor("ca").alice();
    Path file = dir.resolve(name);
    mode(file, "rw-rw-r--");
    NodePolicy.load(dir);
    mode(file, "rw-rw-rw-");
    refused(file);
    mode(file, "rw-r--r--");
    mode(file.getParent(), "rwxrwxrwx");
    refused(file.getParent());
  }

  @Test
  void signalingReadsNoOther() throws Exception {
    new Etc(dir).node("signaling: {peers: [deny any]}");
    mode(dir.resolve("node.yaml"), "rw-rw-rw-");
    assertThrows(PolicyException.class, () -> NodeConfig.load(dir));
  }

  /** A link deserves as much trust as its target. */
  @Test
  void linksAreFollowed() throws Exception {
    Path elsewhere = Files.createFile(dir.resolve("elsewhere"));
    Files.createSymbolicLink(dir.resolve("node.yaml"), elsewhere);
    NodePolicy.load(dir);
    mode(elsewhere, "rw-rw-rw-");
    refused(dir.resolve("node.yaml"));
  }

  @Test
  void itIsRootsOrThatOfTheDirectorysOwner() {
    Owned etc = new Owned(ADMINISTRATOR, 0755);
    assertNull(TrustedFile.objection(new Owned(0, 0644), etc));
    assertNull(TrustedFile.objection(new Owned(ADMINISTRATOR, 0600), etc));
    assertNotNull(TrustedFile.objection(new Owned(STRANGER, 0600), etc));
    assertNotNull(TrustedFile.objection(new Owned(ADMINISTRATOR, 0644), new Owned(0, 0755)));
  }
}
