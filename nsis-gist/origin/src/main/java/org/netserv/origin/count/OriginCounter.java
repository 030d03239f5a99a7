// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.count;

import org.netserv.coverage.count.Count;

/** The counters of the director's own. docs/reference/origin.md has the same texts. */
public enum OriginCounter implements Count {
  ASKED("questions of the web server"),
  ASKED_BAD("questions without one sound address in NetServ-Client; served by the web server"),
  ASKED_ODD("questions about an address that no user has: loopback, link-local, multicast"),
  ASKED_BY_NODES("questions about requests of edge nodes; served by the web server"),
  SENT_ON_PATH("users sent to the node on their path"),
  SENT_NEAR("users sent to a node near their place"),
  SERVED("users without an edge; served by the web server"),
  VISITS_FULL("users whose coming was not noted because too many came within a moment"),
  PREFIXES_IDLE("prefixes given up because nobody came from them for users.idle"),
  CHECKS("checks whether a module answers"),
  CHECKS_SILENT("checks without an answer in time"),
  CHECKS_REFUSED("checks without a connection"),
  EDGES_UP("modules that began to answer"),
  EDGES_DOWN("modules that ceased to answer; nobody is sent there until they answer again"),
  PLACES_LOADED("city databases loaded"),
  PLACES_DAMAGED("city databases refused because they are damaged; the one before stays in use"),
  PLACES_FAILED("places not found because the city database is damaged there");

  private final String words;

  OriginCounter(String words) {
    this.words = words;
  }

  @Override
  public String words() {
    return words;
  }
}
