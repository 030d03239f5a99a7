// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.base;

import java.util.Locale;

/** The counters of the provider. docs/reference/provider.md has the same texts. */
public enum Counter {
  EVENTS("lines taken from Kamailio's queue"),
  EVENTS_BAD(
      "lines refused because they are not of the form that docs/protocols/provider.md gives"),
  AGENTS_FULL("events of new agents refused because limits.agents are known already"),
  ADDRESSES_FULL("agents left without a module because limits.addresses have paths already"),
  AGENTS_EXPIRED("agents forgotten because nothing more was heard of them"),
  PROBES("PROBEs sent"),
  PROBES_LOST("PROBEs that the path did not answer in time, or that could not be sent"),
  NODES_UNKNOWN("nodes passed over because known-nodes does not have them"),
  NODES_FORGED("answers passed over because their signature is not that node's"),
  PATHS_BARE("answers of paths that have no usable edge node"),
  PATHS_MOVED("addresses that another node covers than before"),
  SETUPS("SETUPs sent to a node that did not run the module"),
  REFRESHES("SETUPs sent to a node that ran the module"),
  SETUPS_REFUSED("SETUPs that a node refused"),
  SETUPS_LOST("SETUPs that the path did not answer in time, or that could not be sent"),
  SETUPS_OFF_PATH("SETUPs to a node that has left the path"),
  NODES_EXPIRED("nodes whose module's TTL ended without an answered refresh"),
  REMOVES("REMOVEs sent"),
  REMOVES_LOST("REMOVEs without the node's answer; the module goes when its TTL ends"),
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
      "contacts of silent agents left in usrloc because they registered since, or are not there"),
  STORE_FAILED("changes of the state that could not be written to the disk");

  private final String words;

  Counter(String words) {
    this.words = words;
  }

  /** The name in the status: lower case, with dashes. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The meaning in words. */
  public String words() {
    return words;
  }
}
