// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage.settings;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.netserv.policy.PolicyException;
import org.netserv.policy.SettingsFile;

/** Checks the files that a settings file names. */
public final class NamedFiles {
  private static final Set<PosixFilePermission> OTHERS =
      EnumSet.copyOf(PosixFilePermissions.fromString("------rwx"));

  private final Path file;
  private final SettingsFile.Lines lines;
  private final JsonNode tree;

  /** The files that the settings file names relative to itself. */
  public NamedFiles(Path file, SettingsFile.Lines lines, JsonNode tree) {
    this.file = file;
    this.lines = lines;
    this.tree = tree;
  }

  /** Refuses a value, naming file, line, key and reason. */
  public PolicyException refusal(String key, String reason) {
    String path = "$" + key.replace('/', '.');
    return new PolicyException(file, lines.of(path), path, reason);
  }

  /** Refuses a file that cannot be read. A key that is not there passes. */
  public void readable(String key) throws PolicyException {
    if (tree.at(key).isTextual() && !Files.isReadable(named(key))) {
      throw refusal(key, "no readable file: " + named(key));
    }
  }

  /** Refuses a secret that cannot be read, or that everybody on this host may read. */
  public void secret(String key) throws PolicyException {
    readable(key);
    if (!tree.at(key).isTextual()) {
      return;
    }
    try {
      Set<PosixFilePermission> mode = Files.getPosixFilePermissions(named(key));
      if (mode.stream().anyMatch(OTHERS::contains)) {
        throw refusal(key, "everybody may read this secret: chmod o-rwx");
      }
    } catch (IOException e) {
      throw new PolicyException(file, "cannot be read: " + e.getMessage());
    }
  }

  /** Refuses values of a module's sealed properties that everybody may read. */
  public void sealed(String module) throws PolicyException {
    for (Map.Entry<String, JsonNode> value : tree.at(module + "/sealed").properties()) {
      secret(module + "/sealed/" + value.getKey());
    }
  }

  private Path named(String key) {
    return file.toAbsolutePath().getParent().resolve(tree.at(key).asText());
  }
}
