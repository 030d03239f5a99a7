// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import org.netserv.frames.Json;
import org.netserv.values.Addresses;

/** Writes a coverage as JSON. */
public final class CoverageStatus {
  /** Addresses of a node that are listed. */
  private static final int LISTED = 16;

  private CoverageStatus() {}

  /** Returns the addresses by state, and the nodes with the first of their addresses. */
  public static ObjectNode of(Coverage coverage, String module, long now) {
    ObjectNode status = Json.object().put("module", module);
    ObjectNode states = status.putObject("addresses");
    coverage.states().forEach((state, count) -> states.put(state.toLowerCase(Locale.ROOT), count));
    ArrayNode nodes = status.putArray("nodes");
    for (Coverage.NodeView node : coverage.nodes()) {
      ObjectNode entry =
          nodes
              .addObject()
              .put("id", node.id())
              .put("address", Addresses.print(node.at()))
              .put("state", node.state().toLowerCase(Locale.ROOT))
              .put("status", node.status())
              .put("addresses", node.addresses())
              .put("ttl-left", Math.max(0, (node.until() - now) / 1000));
      ArrayNode covers = entry.putArray("covers");
      coverage.addressesOf(node.id()).stream()
          .limit(LISTED)
          .forEach(address -> covers.add(Addresses.print(address)));
    }
    return status;
  }
}
