// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage;

import java.net.InetAddress;
import java.util.Map;

/** The part of a {@link Coverage} that outlives the process. */
public interface CoverageStore {
  /**
   * A node that may run the module.
   *
   * @param at address at which the node can be reached
   * @param until end of the module's TTL, in milliseconds since 1970
   * @param along address of the last SETUP
   */
  record Saved(InetAddress at, long until, InetAddress along) {}

  /** Maps node-ids to nodes. */
  Map<String, Saved> nodes();

  /** Maps addresses to their nodes. */
  Map<InetAddress, String> addresses();

  /** Remembers that a node may run the module. */
  void node(String nodeId, Saved node);

  void forgetNode(String nodeId);

  void address(InetAddress address, String nodeId);

  void forgetAddress(InetAddress address);
}
