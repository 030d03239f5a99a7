// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.netserv.ncm.Dependency;
import org.netserv.values.BadValueException;
import org.netserv.values.Version;

/**
 * The building blocks that every container of this node has.
 *
 * @param name of the profile
 * @param blocks symbolic name to version
 */
public record BlockProfile(String name, Map<String, Version> blocks) {
  public static final String BASE = "base-1";

  /** Reads the manifests of {@code blocks/*.jar} of the built tree. */
  public static BlockProfile read(Path directory) throws IOException {
    Map<String, Version> blocks = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path jar : files.filter(f -> f.toString().endsWith(".jar")).sorted().toList()) {
        add(blocks, jar);
      }
    }
    return new BlockProfile(BASE, blocks);
  }

  private static void add(Map<String, Version> blocks, Path path) throws IOException {
    try (JarFile jar = new JarFile(path.toFile())) {
      Attributes manifest =
          jar.getManifest() == null ? new Attributes() : jar.getManifest().getMainAttributes();
      String name = manifest.getValue("Bundle-SymbolicName");
      String version = manifest.getValue("Bundle-Version");
      if (name == null || version == null) {
        throw new IOException(path + ": not an OSGi bundle");
      }
      int semicolon = name.indexOf(';');
      blocks.put(
          (semicolon < 0 ? name : name.substring(0, semicolon)).trim(),
          Version.parse(version.trim()));
    } catch (BadValueException e) {
      throw new IOException(path + ": Bundle-Version: " + e.getMessage(), e);
    }
  }

  /** Returns the reason why a dependency is not met; empty if it is. */
  public Optional<String> missing(Dependency wanted) {
    Version here = blocks.get(wanted.name());
    if (here == null) {
      return Optional.of(wanted.name() + " is not in the profile " + name);
    }
    return wanted.range().contains(here)
        ? Optional.empty()
        : Optional.of(wanted.name() + " is here as " + here + ", wanted is " + wanted.range());
  }
}
