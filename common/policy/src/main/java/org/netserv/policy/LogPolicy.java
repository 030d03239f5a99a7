// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

/**
 * The node's log files.
 *
 * @param level {@code error}, {@code warn}, {@code info} or {@code debug}
 * @param maxBytes of one file, before the next is begun
 * @param files kept of each log
 */
public record LogPolicy(String level, long maxBytes, int files) {}
