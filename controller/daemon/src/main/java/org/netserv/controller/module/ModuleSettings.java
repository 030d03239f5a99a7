// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.OptionalInt;

/** The questions of {@link Modules} to policy and to the node while modules live. */
public interface ModuleSettings {

  /**
   * Returns the even queue number of a publisher's container. Copies of packets go to the next
   * number.
   */
  OptionalInt queue(String user);

  /** Returns true if a publisher's packets may come by AF_XDP. */
  boolean afxdp(String user);

  /**
   * Returns a digest of all that decides which bundles of a publisher are good. Another digest than
   * before means that a bundle has to be verified again.
   */
  String trust(String user);

  /**
   * Returns the most containers that are kept for fetched bundles alone. With 0 no container holds
   * any.
   */
  int standby();

  /** Returns the node-id that notifications carry. */
  String nodeId();
}
