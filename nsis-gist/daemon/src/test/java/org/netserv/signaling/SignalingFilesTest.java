// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.gist.AddressPrefix;
import org.netserv.gist.net.PeerEntry;
import org.netserv.policy.PolicyException;

/** The files give the operator's values and their origin, and no other values. */
class SignalingFilesTest {
  @TempDir private Path etc;

  private Path file(String name, String content) throws IOException {
    Path file = etc.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, content);
  }

  private void refused(Path file) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
    PolicyException e = assertThrows(PolicyException.class, () -> SignalingFiles.load(etc));
    assertTrue(e.getMessage().contains(file.toString()), e.getMessage());
    assertTrue(e.getMessage().contains("everybody may write"), e.getMessage());
  }

  /** The files that the list of peers comes from cannot be compromised (RFC 5971 section 4.4.2). */
  @Test
  void whatEverybodyMayWriteAuthorisesNobody() throws Exception {
    Path anchor = file("peer-anchors.d/a.pem", "");
    Path node = file("node.yaml", "signaling: {peers: ['allow dns:*.lab.example']}\n");
    assertEquals(
        List.of(PeerEntry.parse("allow dns:*.lab.example")), SignalingFiles.load(etc).peers());
    refused(anchor);
    Files.delete(anchor);
    refused(node);
  }

  /**
   * The option is left out nowhere by default, and then only where the operator says so (RFC 5971
   * section 5.3.2.1).
   */
  @Test
  void theRouterAlertIsLeftOutWhereTheOperatorSaysSo() throws Exception {
    assertEquals(List.of(), SignalingFiles.load(etc).gist().noRouterAlert());
    file("node.yaml", "signaling: {no-router-alert: [192.0.2.0/24]}\n");
    assertEquals(
        List.of(new AddressPrefix(InetAddress.getByName("192.0.2.0"), 24)),
        SignalingFiles.load(etc).gist().noRouterAlert());
  }
}
