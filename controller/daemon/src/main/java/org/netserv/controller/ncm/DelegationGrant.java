// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.util.Set;

/**
 * The rules of policy for the delegates of a publisher.
 *
 * @param maxLifetime seconds that a delegation may live
 * @param setupsPerMinute SETUPs and REMOVEs of one delegate, more than 0
 * @param revoked serial numbers, and ids of delegates behind {@code key:}
 */
public record DelegationGrant(int maxLifetime, int setupsPerMinute, Set<String> revoked) {}
