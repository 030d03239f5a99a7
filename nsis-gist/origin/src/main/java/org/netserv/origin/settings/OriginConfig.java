// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.settings;

import java.nio.file.Path;
import org.netserv.coverage.settings.KnownNodesSettings;
import org.netserv.coverage.settings.ModuleSettings;
import org.netserv.coverage.settings.PathSettings;
import org.netserv.coverage.settings.PublisherSettings;

/**
 * The content of origin.yaml. The schema beside this class describes each key and its default.
 * Paths of files are absolute, or relative to the directory of origin.yaml.
 *
 * @param listen address and port
 * @param places null without a city database
 */
public record OriginConfig(
    PublisherSettings publisher,
    KnownNodesSettings knownNodes,
    Path state,
    String listen,
    ModuleSettings module,
    Edges edges,
    Path places,
    Users users,
    PathSettings path,
    Limits limits) {

  /**
   * The nodes as users reach them.
   *
   * @param url pattern of base URLs
   * @param nearKm kilometres
   * @param check pattern of URLs to ask; null = the root below {@code url}
   * @param checkInterval seconds
   */
  public record Edges(String url, int nearKm, String check, int checkInterval) {
    /** Returns the pattern of URLs to ask. */
    public String checked() {
      return check == null ? url + "/" : check;
    }
  }

  /**
   * The grouping of users.
   *
   * @param ipv4 bits of a prefix
   * @param ipv6 bits of a prefix
   * @param idle seconds
   */
  public record Users(int ipv4, int ipv6, int idle) {}

  /** Bounds of the director's memory and of its messages. */
  public record Limits(int addresses, int inFlight, int messagesPerMinute) {}

  /** Returns the same with all files below a directory, unless they have absolute paths. */
  OriginConfig in(Path directory) {
    return new OriginConfig(
        publisher.in(directory),
        knownNodes.in(directory),
        directory.resolve(state),
        listen,
        module.in(directory),
        edges,
        places == null ? null : directory.resolve(places),
        users,
        path,
        limits);
  }
}
