// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.Optional;
import org.netserv.values.BadValueException;
import org.netserv.values.Prefix;

/**
 * A kind of policy file: a {@link SettingsFile} with the conditions of node.yaml and of a
 * publisher's policy.
 *
 * @param <T> the record
 */
final class PolicyFile<T> {
  static final PolicyFile<NodeConfig> NODE = new PolicyFile<>("node.schema.json", NodeConfig.class);
  static final PolicyFile<PublisherPolicy> PUBLISHER =
      new PolicyFile<>("publisher.schema.json", PublisherPolicy.class);

  private final SettingsFile<T> settings;

  private PolicyFile(String resource, Class<T> type) {
    this.settings = new SettingsFile<>(PolicyFile.class, resource, type);
  }

  /** Returns the whole file. A file above the limit is refused before it is read. */
  static byte[] bytes(Path file) throws PolicyException {
    return SettingsFile.bytes(file);
  }

  /** Returns the whole file of {@code etc}, if {@link TrustedFile} accepts it. */
  static byte[] trusted(Path file) throws PolicyException {
    TrustedFile.require(file);
    return bytes(file);
  }

  /**
   * Reads the content of a file.
   *
   * @param file for messages
   * @param name the name for a record that has one
   */
  T read(Path file, byte[] content, String name) throws PolicyException {
    return settings.read(file, content, name, PolicyFile::check);
  }

  /** Returns the section that a file gets if it leaves the section out. */
  <S> S defaults(String section, Class<S> sectionType) {
    return settings.defaults(section, sectionType);
  }

  private static void check(Path file, SettingsFile.Lines lines, JsonNode tree)
      throws PolicyException {
    checkPorts(file, lines, tree.path("signaling"));
    checkLayers(file, lines, tree.path("isolation"));
    checkPrefix(file, lines, tree, "prefix4", 4);
    checkPrefix(file, lines, tree, "prefix6", 6);
  }

  /** Refuses two listeners on one port, which a schema cannot express. 0 = any free port. */
  private static void checkPorts(Path file, SettingsFile.Lines lines, JsonNode signaling)
      throws PolicyException {
    int port = signaling.path("port").asInt();
    if (port != 0 && port == signaling.path("tls-port").asInt()) {
      String path = "$.signaling.tls-port";
      throw new PolicyException(file, lines.of(path), path, "the same as port: " + port);
    }
  }

  /** Refuses a layer that is both required and dispensable. */
  private static void checkLayers(Path file, SettingsFile.Lines lines, JsonNode isolation)
      throws PolicyException {
    for (JsonNode required : isolation.path("require")) {
      for (JsonNode accepted : isolation.path("accept-missing")) {
        if (required.equals(accepted)) {
          String path = "$.isolation.require";
          String why = required.asText() + " is in accept-missing, too";
          throw new PolicyException(file, lines.of(path), path, why);
        }
      }
    }
  }

  /** Leaves text that is no prefix to the reader of prefixes, which says so. */
  private static void checkPrefix(
      Path file, SettingsFile.Lines lines, JsonNode tree, String key, int family)
      throws PolicyException {
    JsonNode text = tree.path("containers").path(key);
    try {
      Optional<String> wrong =
          text.isMissingNode()
              ? Optional.empty()
              : ContainerPrefixes.wrong(Prefix.parse(text.asText()), family);
      if (wrong.isPresent()) {
        String path = "$.containers." + key;
        throw new PolicyException(file, lines.of(path), path, wrong.get());
      }
    } catch (BadValueException e) {
      return;
    }
  }
}
