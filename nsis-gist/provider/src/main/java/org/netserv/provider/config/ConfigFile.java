// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.config;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.netserv.policy.PolicyException;
import org.netserv.policy.SettingsFile;
import org.netserv.provider.config.ProviderConfig.KeepAlive;
import org.netserv.provider.config.ProviderConfig.MediaRelay;
import org.netserv.provider.config.ProviderConfig.Module;
import org.netserv.provider.config.ProviderConfig.Overload;
import org.netserv.provider.config.ProviderConfig.Reports;
import org.netserv.values.BadValueException;

/** Reads provider.yaml. */
public final class ConfigFile {
  private static final SettingsFile<ProviderConfig> FILE =
      new SettingsFile<>(ConfigFile.class, "provider.schema.json", ProviderConfig.class);

  private static final Set<PosixFilePermission> OTHERS =
      EnumSet.copyOf(PosixFilePermissions.fromString("------rwx"));

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
    Path directory = file.toAbsolutePath().getParent();
    if (!tree.has("keepalive") && !tree.has("media-relay") && !tree.has("overload")) {
      throw new PolicyException(
          file, "no module to deploy: give keepalive, media-relay or overload");
    }
    for (String key :
        List.of("/keepalive/module/bundle", "/media-relay/module/bundle", "/overload/file")) {
      readable(file, lines, tree, key, directory);
    }
    for (String key : List.of("/publisher/key", "/keepalive/reports/key", "/media-relay/secret")) {
      readable(file, lines, tree, key, directory);
      secret(file, lines, tree, key, directory);
    }
    JsonNode listen = tree.at("/keepalive/reports/listen");
    if (!listen.isMissingNode()) {
      try {
        SocketText.parse(listen.asText());
      } catch (BadValueException e) {
        String path = "$.keepalive.reports.listen";
        throw new PolicyException(file, lines.of(path), path, e.getMessage());
      }
    }
  }

  private static void readable(
      Path file, SettingsFile.Lines lines, JsonNode tree, String key, Path directory)
      throws PolicyException {
    JsonNode named = tree.at(key);
    if (!named.isMissingNode() && !Files.isReadable(directory.resolve(named.asText()))) {
      String path = "$" + key.replace('/', '.');
      throw new PolicyException(
          file, lines.of(path), path, "no readable file: " + directory.resolve(named.asText()));
    }
  }

  /** Refuses a secret that everybody on this host may read. */
  private static void secret(
      Path file, SettingsFile.Lines lines, JsonNode tree, String key, Path directory)
      throws PolicyException {
    JsonNode named = tree.at(key);
    if (named.isMissingNode()) {
      return;
    }
    try {
      Set<PosixFilePermission> mode =
          Files.getPosixFilePermissions(directory.resolve(named.asText()));
      if (mode.stream().anyMatch(OTHERS::contains)) {
        String path = "$" + key.replace('/', '.');
        throw new PolicyException(
            file, lines.of(path), path, "everybody may read this secret: chmod o-rwx");
      }
    } catch (IOException e) {
      throw new PolicyException(file, "cannot be read: " + e.getMessage());
    }
  }

  private static ProviderConfig absolute(Path directory, ProviderConfig config) {
    return new ProviderConfig(
        new ProviderConfig.Publisher(
            config.publisher().name(), directory.resolve(config.publisher().key())),
        new ProviderConfig.KnownNodes(
            directory.resolve(config.knownNodes().file()), config.knownNodes().learn()),
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
            absolute(directory, part.module()),
            part.agentLifetime(),
            absolute(directory, part.reports()));
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
            absolute(directory, part.module()),
            part.port(),
            directory.resolve(part.secret()),
            part.credentials(),
            part.own(),
            part.table());
  }

  private static Module absolute(Path directory, Module module) {
    return new Module(
        directory.resolve(module.bundle()),
        module.url(),
        module.ttl(),
        module.filterPort(),
        module.filterProto(),
        module.properties());
  }
}
