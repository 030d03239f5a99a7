// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.net.InetAddress;
import java.util.List;

/**
 * What the node says about itself.
 *
 * @param address where it can be reached
 * @param version of the software
 * @param startedAt monotonic milliseconds
 * @param layers of isolation that the spawner reports
 */
public record NodeFacts(
    String nodeId, InetAddress address, String version, long startedAt, List<String> layers) {

  NodeFacts withLayers(List<String> reported) {
    return new NodeFacts(nodeId, address, version, startedAt, List.copyOf(reported));
  }
}
