// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.path;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.provider.config.ProviderConfig;

/**
 * The messages of a module without the parts that the client adds.
 *
 * @param name Bundle-SymbolicName
 * @param version Bundle-Version
 * @param digest SHA-256 of the bundle, hexadecimal
 */
public record ModuleDraft(
    String name, String version, String digest, ProviderConfig.Module module) {

  /**
   * Reads name, version and digest from the bundle.
   *
   * @throws IOException when the file is no bundle, naming the file and the reason
   */
  public static ModuleDraft of(ProviderConfig.Module module) throws IOException {
    Path bundle = module.bundle();
    try (JarFile jar = new JarFile(bundle.toFile())) {
      if (jar.getManifest() == null) {
        throw new IOException(bundle + ": no manifest");
      }
      Attributes manifest = jar.getManifest().getMainAttributes();
      String name = manifest.getValue("Bundle-SymbolicName");
      String version = manifest.getValue("Bundle-Version");
      if (name == null || version == null) {
        throw new IOException(bundle + ": no Bundle-SymbolicName or Bundle-Version");
      }
      return new ModuleDraft(name.split(";", 2)[0].strip(), version, digest(bundle), module);
    }
  }

  private static String digest(Path file) throws IOException {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new UncheckedIOException("every Java has SHA-256", new IOException(e));
    }
  }

  /** The same with further properties, which win over those of provider.yaml. */
  public ModuleDraft with(Map<String, String> more) {
    Map<String, String> all = new LinkedHashMap<>(module.properties());
    all.putAll(more);
    ProviderConfig.Module extended =
        new ProviderConfig.Module(
            module.bundle(),
            module.url(),
            module.ttl(),
            module.filterPort(),
            module.filterProto(),
            all);
    return new ModuleDraft(name, version, digest, extended);
  }

  /** The SETUP for one node. */
  public Ncm setup(String nodeId) throws NcmException {
    Ncm.Builder setup =
        Ncm.builder(Method.SETUP, name)
            .version(version)
            .set(Header.URL, module.url())
            .set(Header.DIGEST, digest)
            .set(Header.TTL, module.ttl())
            .set(Header.NODE_ID, nodeId);
    set(setup, Header.FILTER_PORT, module.filterPort());
    set(setup, Header.FILTER_PROTO, module.filterProto());
    Map<String, String> properties = module.properties();
    return properties.isEmpty() ? setup.build() : setup.properties(properties).build();
  }

  private static void set(Ncm.Builder to, Header header, String value) {
    if (value != null) {
      to.set(header, value);
    }
  }

  /** The REMOVE for one node. */
  public Ncm remove(String nodeId) throws NcmException {
    return Ncm.builder(Method.REMOVE, name).set(Header.NODE_ID, nodeId).build();
  }
}
