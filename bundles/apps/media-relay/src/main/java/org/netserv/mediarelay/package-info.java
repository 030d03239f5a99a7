// SPDX-License-Identifier: Apache-2.0
/**
 * Media Relay: a TURN server (RFC 8656) in a publisher's container at the edge.
 *
 * <pre>
 *   MediaRelay   component          RelaySettings, Listens   properties, and the policy's grants
 *   core         requests and state, without sockets and clocks
 *   net          sockets and threads, the way of data
 * </pre>
 */
package org.netserv.mediarelay;
