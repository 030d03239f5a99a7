// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.settings;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import org.netserv.coverage.settings.NamedFiles;
import org.netserv.coverage.settings.SocketText;
import org.netserv.policy.PolicyException;
import org.netserv.policy.SettingsFile;
import org.netserv.values.BadValueException;

/** Reads origin.yaml. */
public final class ConfigFile {
  private static final SettingsFile<OriginConfig> FILE =
      new SettingsFile<>(ConfigFile.class, "origin.schema.json", OriginConfig.class);

  private ConfigFile() {}

  /**
   * Reads a file and looks at the files that it names.
   *
   * @throws PolicyException naming file, line, key and reason
   */
  public static OriginConfig read(Path file) throws PolicyException {
    byte[] content = SettingsFile.bytes(file);
    OriginConfig config = FILE.read(file, content, "", ConfigFile::check);
    return config.in(file.toAbsolutePath().getParent());
  }

  private static void check(Path file, SettingsFile.Lines lines, JsonNode tree)
      throws PolicyException {
    NamedFiles files = new NamedFiles(file, lines, tree);
    files.secret("/publisher/key");
    files.readable("/module/bundle");
    files.sealed("/module");
    try {
      if (!SocketText.parse(tree.at("/listen").asText()).getAddress().isLoopbackAddress()) {
        throw files.refusal(
            "/listen", "not the loopback: whoever asks could name any client's address");
      }
    } catch (BadValueException e) {
      throw files.refusal("/listen", e.getMessage());
    }
    url(files, tree, "/edges/url");
    url(files, tree, "/edges/check");
  }

  /** Refuses a pattern that gives no URL, or the same URL for each node. */
  private static void url(NamedFiles files, JsonNode tree, String key) throws PolicyException {
    if (!tree.at(key).isTextual()) {
      return;
    }
    String pattern = tree.at(key).asText();
    String filled =
        pattern
            .replace("{address}", "192.0.2.1")
            .replace("{dashed}", "192-0-2-1")
            .replace("{node}", "node");
    if (filled.equals(pattern) && key.endsWith("url")) {
      throw files.refusal(key, "names no node: give {address}, {dashed} or {node}");
    }
    try {
      if (new URI(filled).getHost() == null) {
        throw files.refusal(key, "has no host");
      }
    } catch (URISyntaxException e) {
      throw files.refusal(key, "gives no URL: " + e.getMessage());
    }
  }
}
