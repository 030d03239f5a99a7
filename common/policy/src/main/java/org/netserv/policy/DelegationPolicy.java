// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import java.util.Set;

/**
 * The delegates of a publisher on this node.
 *
 * @param maxLifetime seconds that a delegation may live, from its first to its last
 * @param setupsPerMinute SETUPs and REMOVEs of one delegate, accepted and refused together
 * @param revoked serial numbers of delegations, and ids of delegates behind {@code key:}
 */
public record DelegationPolicy(int maxLifetime, int setupsPerMinute, Set<String> revoked) {
  public DelegationPolicy {
    revoked = Set.copyOf(revoked);
  }
}
