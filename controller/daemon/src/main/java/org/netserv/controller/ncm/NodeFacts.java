// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.net.InetAddress;

/**
 * The facts that the node tells about itself.
 *
 * @param address the address at which it can be reached
 * @param version of the software
 * @param profile the building blocks that its containers have
 * @param startedAt monotonic milliseconds
 */
public record NodeFacts(
    String nodeId, InetAddress address, String version, BlockProfile profile, long startedAt) {}
