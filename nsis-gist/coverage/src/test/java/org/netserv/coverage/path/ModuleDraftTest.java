// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.coverage.settings.ModuleSettings;
import org.netserv.ncm.Header;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.Sealed;
import org.netserv.values.NodeIdentity;

/** A SETUP names the bundle, and hides what the node alone may read. */
class ModuleDraftTest {
  @TempDir Path directory;
  private Path bundle;

  @BeforeEach
  void bundle() throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Bundle-SymbolicName", "module;singleton:=true");
    manifest.getMainAttributes().putValue("Bundle-Version", "1.2.3");
    bundle = directory.resolve("bundle.jar");
    try (OutputStream out = Files.newOutputStream(bundle);
        JarOutputStream jar = new JarOutputStream(out, manifest)) {
      jar.finish();
    }
  }

  private ModuleDraft draft(Map<String, Path> sealed) throws IOException {
    String url = "http://192.0.2.10/bundle.jar";
    return ModuleDraft.of(
        new ModuleSettings(bundle, url, 60, null, null, Map.of("origin", "a:1"), sealed));
  }

  @Test
  void theBundleIsNamed() throws Exception {
    NodeIdentity node = NodeIdentity.generate(new SecureRandom());
    Ncm setup = draft(Map.of()).setup(node.nodeId(), null);
    assertEquals("60", setup.get(Header.TTL));
    assertEquals(node.nodeId(), setup.get(Header.NODE_ID));
    assertFalse(setup.has(Header.SEALED));
  }

  @Test
  void sealedPropertiesAreThoseOfTheFilesAndForTheNodeAlone() throws Exception {
    NodeIdentity node = NodeIdentity.generate(new SecureRandom());
    Path secret = Files.writeString(directory.resolve("secret"), "s3cret\n");
    ModuleDraft draft = draft(Map.of("admin-secret", secret)).with(Map.of("more", "1"));
    Ncm setup = draft.setup(node.nodeId(), node.publicKey());
    String sealed = setup.get(Header.SEALED);
    assertEquals(Map.of("admin-secret", "s3cret"), Sealed.decrypt(sealed, node));
  }

  @Test
  void aFileThatIsTooLongIsNamed() throws Exception {
    NodeIdentity node = NodeIdentity.generate(new SecureRandom());
    Path secret = Files.write(directory.resolve("secret"), new byte[10_000]);
    ModuleDraft draft = draft(Map.of("admin-secret", secret));
    IOException refusal =
        assertThrows(IOException.class, () -> draft.setup(node.nodeId(), node.publicKey()));
    assertEquals(secret + ": longer than 8192 bytes", refusal.getMessage());
  }
}
