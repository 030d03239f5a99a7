// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import org.osgi.annotation.versioning.ProviderType;

/**
 * Gives rules of a service router of Serval to the kernel: the part of the node's fast path for
 * names. An OSGi service. A module asks for the rules of its table, and routes all packets itself
 * that still come to its socket.
 *
 * <p>The kernel takes a rule only if the policy grants all of it:
 *
 * <ul>
 *   <li>The router's address and port are in the listen grants of the container.
 *   <li>A prefix of the serval grant covers the rule's.
 *   <li>The target is in the connect grants for UDP, and no address of the node or of a container.
 *   <li>No module's filter on the node may see packets to the router.
 * </ul>
 *
 * <p>The kernel knows only the rules that it has taken, and takes the longest prefix among these.
 * So a module that gives it a prefix has to give it all longer ones within, or rules of the kind
 * {@link ServiceRuleEntry.Kind#MODULE} in their place.
 *
 * <p>Each bundle has an object of its own, and its rules end with it. Any thread may call.
 */
@ProviderType
public interface ServiceRules {
  /** Tells whether the node can take rules now. It may change with the node's fast path. */
  boolean available();

  /** Returns the reason why {@link #available} is false, for a log. Empty if it is true. */
  String unavailable();

  /**
   * Returns how many more rules this container has room for, of all its bundles. The policy may
   * allow fewer: the kernel then refuses a rule with {@code quota}.
   */
  int free();

  /**
   * Asks the kernel for a rule. Returns at once, with the rule in the state {@code ASKED}. The
   * kernel takes rules in the order in which they are asked for.
   *
   * @param seconds 1 to 65535, the lifetime of the rule
   * @return null if there is no place, or if {@link #available} is false
   * @throws IllegalArgumentException if the seconds are out of range
   */
  ServiceRule ask(ServiceRuleEntry entry, int seconds);
}
