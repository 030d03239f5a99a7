// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage.path;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PublicKey;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import org.netserv.coverage.settings.ModuleSettings;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.Sealed;
import org.netserv.values.BadValueException;

/**
 * The messages of a module without the parts that the client adds.
 *
 * @param name Bundle-SymbolicName
 * @param version Bundle-Version
 * @param digest SHA-256 of the bundle, hexadecimal
 */
public record ModuleDraft(String name, String version, String digest, ModuleSettings module) {
  private static final int MOST_SECRET = 8192;

  /**
   * Reads name, version and digest from the bundle.
   *
   * @throws IOException when the file is no bundle, naming the file and the reason
   */
  public static ModuleDraft of(ModuleSettings module) throws IOException {
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

  /** The same with further properties, which win over those of the settings. */
  public ModuleDraft with(Map<String, String> more) {
    Map<String, String> all = new LinkedHashMap<>(module.properties());
    all.putAll(more);
    ModuleSettings extended =
        new ModuleSettings(
            module.bundle(),
            module.url(),
            module.ttl(),
            module.filterPort(),
            module.filterProto(),
            all,
            module.sealed());
    return new ModuleDraft(name, version, digest, extended);
  }

  /** Tells whether a SETUP needs the key of its node. */
  boolean seals() {
    return !module.sealed().isEmpty();
  }

  /**
   * Returns the SETUP for one node.
   *
   * @param key of the node; may be null if nothing is sealed
   * @throws IOException when the file of a sealed property cannot be read
   * @throws BadValueException when the sealed properties are too long
   */
  Ncm setup(String nodeId, PublicKey key) throws NcmException, IOException, BadValueException {
    Ncm.Builder setup =
        Ncm.builder(Method.SETUP, name)
            .version(version)
            .set(Header.URL, module.url())
            .set(Header.DIGEST, digest)
            .set(Header.TTL, module.ttl())
            .set(Header.NODE_ID, nodeId);
    set(setup, Header.FILTER_PORT, module.filterPort());
    set(setup, Header.FILTER_PROTO, module.filterProto());
    if (seals()) {
      set(setup, Header.SEALED, Sealed.encrypt(secrets(), List.of(key)));
    }
    Map<String, String> properties = module.properties();
    return properties.isEmpty() ? setup.build() : setup.properties(properties).build();
  }

  private Map<String, String> secrets() throws IOException {
    Map<String, String> secrets = new LinkedHashMap<>();
    for (Map.Entry<String, Path> secret : module.sealed().entrySet()) {
      if (Files.size(secret.getValue()) > MOST_SECRET) {
        throw new IOException(secret.getValue() + ": longer than " + MOST_SECRET + " bytes");
      }
      secrets.put(secret.getKey(), Files.readString(secret.getValue()).strip());
    }
    return secrets;
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
