// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.config;

import java.nio.file.Path;
import org.netserv.coverage.settings.KnownNodesSettings;
import org.netserv.coverage.settings.ModuleSettings;
import org.netserv.coverage.settings.PathSettings;
import org.netserv.coverage.settings.PublisherSettings;

/**
 * The content of provider.yaml. The schema beside this class describes each key and its default.
 * Paths of files are absolute, or relative to the directory of provider.yaml.
 *
 * @param keepalive null without that section
 * @param mediaRelay null without that section
 * @param overload null without that section
 */
public record ProviderConfig(
    PublisherSettings publisher,
    KnownNodesSettings knownNodes,
    Path state,
    Kamailio kamailio,
    PathSettings path,
    Limits limits,
    KeepAlive keepalive,
    MediaRelay mediaRelay,
    Overload overload) {

  /**
   * The connection to Kamailio.
   *
   * @param pollMs milliseconds
   */
  public record Kamailio(Path socket, String queue, String location, int pollMs) {}

  /** Bounds of the provider's memory and of its messages. */
  public record Limits(int agents, int addresses, int inFlight, int messagesPerMinute) {}

  /**
   * The part that deploys the KeepAlive Responder.
   *
   * @param agentLifetime seconds
   * @param reports null without that section
   */
  public record KeepAlive(ModuleSettings module, int agentLifetime, Reports reports) {}

  /**
   * The reports of modules.
   *
   * @param listen address and port
   * @param key file
   * @param silent reports of silence in a row
   */
  public record Reports(String listen, Path key, int silent, boolean removeContacts) {}

  /**
   * The part that deploys the Media Relay.
   *
   * @param secret file
   * @param credentials seconds
   * @param own host and port; null = none
   */
  public record MediaRelay(
      ModuleSettings module, int port, Path secret, int credentials, String own, String table) {}

  /**
   * The part that watches the server's load.
   *
   * @param file the load monitor's settings
   */
  public record Overload(Path file) {}
}
