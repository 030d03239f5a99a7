// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import org.netserv.values.Prefix;

/**
 * An address pair a module may give a packet besides the original and the swapped one.
 *
 * @param source the new source address lies in it
 * @param destination the new destination address lies in it
 */
public record RewriteRule(Prefix source, Prefix destination) {

  /** The form of the spawner's key {@code rewrite}. */
  @Override
  public String toString() {
    return source + "->" + destination;
  }
}
