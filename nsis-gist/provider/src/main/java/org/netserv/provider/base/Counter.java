// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.base;

import org.netserv.coverage.count.Count;

/** The counters of the provider's own. docs/reference/provider.md has the same texts. */
public enum Counter implements Count {
  EVENTS("lines taken from Kamailio's queue"),
  EVENTS_BAD(
      "lines refused because they are not of the form that docs/protocols/provider.md gives"),
  AGENTS_FULL("events of new agents refused because limits.agents are known already"),
  AGENTS_EXPIRED("agents forgotten because nothing more was heard of them"),
  RPC_CALLS("calls to Kamailio"),
  RPC_REFUSED("calls that Kamailio refused"),
  RPC_LOST("calls without an answer: no connection, or not in time"),
  RPC_FULL("calls not made because too many waited"),
  KAMAILIO_CONNECTS("connections made to Kamailio"),
  REPORTS("datagrams that came to the port of reports"),
  REPORTS_FORGED("datagrams refused because their code is not of our key"),
  REPORTS_BAD("reports refused because they are not of the form that keepalive-report.md gives"),
  REPORTS_CLOCK("reports refused because their time differs from ours by more than a minute"),
  REPORTS_REPEATED("reports refused because a later one of the same module was taken before"),
  REPORTS_FULL("reports refused because 1,024 modules report already"),
  AGENTS_SEEN("entries that confirm a known agent"),
  AGENTS_STRANGE("entries about agents that Kamailio has not told of"),
  AGENTS_SILENT("agents forgotten because their edge node heard nothing more of them"),
  CONTACTS_REMOVED("contacts of silent agents that were taken out of usrloc"),
  CONTACTS_KEPT(
      "contacts of silent agents left in usrloc because they registered since, or are not there");

  private final String words;

  Counter(String words) {
    this.words = words;
  }

  @Override
  public String words() {
    return words;
  }
}
