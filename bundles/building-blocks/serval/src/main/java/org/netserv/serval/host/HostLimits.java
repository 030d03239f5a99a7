// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.host;

/**
 * The limits of a host.
 *
 * @param flows in all, with those that have closed and wait
 * @param requests flows whose client has not acknowledged yet. SYNs beyond them are answered
 *     without state
 */
public record HostLimits(int flows, int requests) {
  public static final HostLimits DEFAULT = new HostLimits(1 << 20, 256);
}
