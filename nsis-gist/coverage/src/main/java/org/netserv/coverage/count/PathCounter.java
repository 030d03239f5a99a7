// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage.count;

/** The counters of a coverage and of its store. */
public enum PathCounter implements Count {
  ADDRESSES_FULL("users left without a module because limits.addresses have paths already"),
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
  STORE_FAILED("changes of the state that could not be written to the disk");

  private final String words;

  PathCounter(String words) {
    this.words = words;
  }

  @Override
  public String words() {
    return words;
  }
}
