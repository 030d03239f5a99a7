// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage;

/** The addresses of a node, which hear about the node. */
interface EdgeUsers {
  /** The address's node runs the module now. */
  void up(CoveredAddress address);

  /** The address's node runs the module no more, or has left the path. It has no node now. */
  void down(CoveredAddress address);

  /** The address's node is not on its path, so the path is to be asked now. */
  void again(CoveredAddress address);
}
