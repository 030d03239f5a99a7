// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.config;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.List;
import org.netserv.coverage.settings.NamedFiles;
import org.netserv.coverage.settings.SocketText;
import org.netserv.policy.PolicyException;
import org.netserv.policy.SettingsFile;
import org.netserv.provider.config.ProviderConfig.KeepAlive;
import org.netserv.provider.config.ProviderConfig.MediaRelay;
import org.netserv.provider.config.ProviderConfig.Overload;
import org.netserv.provider.config.ProviderConfig.Reports;
import org.netserv.values.BadValueException;

/** Reads provider.yaml. */
public final class ConfigFile {
  private static final SettingsFile<ProviderConfig> FILE =
      new SettingsFile<>(ConfigFile.class, "provider.schema.json", ProviderConfig.class);

  private ConfigFile() {}

  /**
   * Reads a file and the files that it names.
   *
   * @throws PolicyException naming file, line, key and reason
   */
  public static ProviderConfig read(Path file) throws PolicyException {
    Path directory = file.toAbsolutePath().getParent();
    byte[] content = SettingsFile.bytes(file);
    return absolute(directory, FILE.read(file, content, "", ConfigFile::check));
  }

  private static void check(Path file, SettingsFile.Lines lines, JsonNode tree)
      throws PolicyException {
    if (!tree.has("keepalive") && !tree.has("media-relay") && !tree.has("overload")) {
      throw new PolicyException(
          file, "no module to deploy: give keepalive, media-relay or overload");
    }
    NamedFiles files = new NamedFiles(file, lines, tree);
    for (String key :
        List.of("/keepalive/module/bundle", "/media-relay/module/bundle", "/overload/file")) {
      files.readable(key);
    }
    for (String key : List.of("/publisher/key", "/keepalive/reports/key", "/media-relay/secret")) {
      files.secret(key);
    }
    files.sealed("/keepalive/module");
    files.sealed("/media-relay/module");
    JsonNode listen = tree.at("/keepalive/reports/listen");
    if (!listen.isMissingNode()) {
      try {
        SocketText.parse(listen.asText());
      } catch (BadValueException e) {
        throw files.refusal("/keepalive/reports/listen", e.getMessage());
      }
    }
  }

  private static ProviderConfig absolute(Path directory, ProviderConfig config) {
    return new ProviderConfig(
        config.publisher().in(directory),
        config.knownNodes().in(directory),
        directory.resolve(config.state()),
        config.kamailio(),
        config.path(),
        config.limits(),
        absolute(directory, config.keepalive()),
        absolute(directory, config.mediaRelay()),
        config.overload() == null
            ? null
            : new Overload(directory.resolve(config.overload().file())));
  }

  private static KeepAlive absolute(Path directory, KeepAlive part) {
    return part == null
        ? null
        : new KeepAlive(
            part.module().in(directory), part.agentLifetime(), absolute(directory, part.reports()));
  }

  private static Reports absolute(Path directory, Reports reports) {
    return reports == null
        ? null
        : new Reports(
            reports.listen(),
            directory.resolve(reports.key()),
            reports.silent(),
            reports.removeContacts());
  }

  private static MediaRelay absolute(Path directory, MediaRelay part) {
    return part == null
        ? null
        : new MediaRelay(
            part.module().in(directory),
            part.port(),
            directory.resolve(part.secret()),
            part.credentials(),
            part.own(),
            part.table());
  }
}
