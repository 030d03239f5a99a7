// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;

/** The node-ids that a publisher trusts to be routers on its paths. Safe for several threads. */
public interface KnownNodes {
  /** A list without nodes: every right signature is of an unknown node. */
  KnownNodes NONE = Set::of;

  /** Returns a copy, or an unmodifiable set. */
  Set<String> ids();

  /**
   * Called with every node that has a right signature and an unknown id. Does nothing unless this
   * list learns.
   */
  default void seen(NodeAnswer node) {}

  /** Returns a list of these nodes and no others. */
  static KnownNodes of(Collection<String> nodeIds) {
    Set<String> ids = Set.copyOf(nodeIds);
    return () -> ids;
  }

  /**
   * The list in a file.
   *
   * @throws IOException when it cannot be read, or a line is no node-id
   */
  static KnownNodes read(Path file) throws IOException {
    return new KnownFile(file, false);
  }

  /**
   * Trust on first use: the list in a file, to which a node is added when its first right signature
   * is seen. That answer still says UNKNOWN; the node's later ones are VERIFIED. A node with
   * another id at an address that is already in the list is not added.
   *
   * @throws IOException when the file cannot be read or written, or a line is no node-id
   */
  static KnownNodes firstUse(Path file) throws IOException {
    return new KnownFile(file, true);
  }
}
