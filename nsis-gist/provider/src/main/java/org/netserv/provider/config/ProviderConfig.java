// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.config;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The content of provider.yaml. The schema beside this class describes each key and its default.
 * Paths of files are absolute, or relative to the directory of provider.yaml.
 *
 * @param keepalive null without that section
 * @param mediaRelay null without that section
 * @param overload null without that section
 */
public record ProviderConfig(
    Publisher publisher,
    KnownNodes knownNodes,
    Path state,
    Kamailio kamailio,
    PathSettings path,
    Limits limits,
    KeepAlive keepalive,
    MediaRelay mediaRelay,
    Overload overload) {

  /**
   * The publisher's name and the file of its private key.
   *
   * @param key PEM
   */
  public record Publisher(String name, Path key) {}

  /**
   * The nodes that get modules.
   *
   * @param learn true: trust on first use
   */
  public record KnownNodes(Path file, boolean learn) {}

  /**
   * The connection to Kamailio.
   *
   * @param pollMs milliseconds
   */
  public record Kamailio(Path socket, String queue, String location, int pollMs) {}

  /**
   * The paths to user agents. Times are in seconds.
   *
   * @param from null = the address by which packets leave
   */
  public record PathSettings(
      InetAddress from, int budget, int check, int retry, boolean tls, boolean routerAlert) {}

  /** Bounds of the provider's memory and of its messages. */
  public record Limits(int agents, int addresses, int inFlight, int messagesPerMinute) {}

  /**
   * A module as a SETUP names it.
   *
   * @param ttl seconds
   * @param filterPort null = none
   * @param filterProto null = none
   */
  public record Module(
      Path bundle,
      String url,
      int ttl,
      String filterPort,
      String filterProto,
      Map<String, String> properties) {
    public Module {
      properties = Collections.unmodifiableMap(new LinkedHashMap<>(properties));
    }
  }

  /**
   * The part that deploys the KeepAlive Responder.
   *
   * @param agentLifetime seconds
   * @param reports null without that section
   */
  public record KeepAlive(Module module, int agentLifetime, Reports reports) {}

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
      Module module, int port, Path secret, int credentials, String own, String table) {}

  /**
   * The part that watches the server's load.
   *
   * @param file the load monitor's settings
   */
  public record Overload(Path file) {}
}
