// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent.module;

import java.util.Map;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.PktProcessor;

/** A component that drops everything and does not come up without a number as its {@code limit}. */
public final class Limited implements PktProcessor {
  public Limited(Map<String, Object> properties) {
    String limit = String.valueOf(properties.get("limit"));
    if (!limit.matches("[0-9]+")) {
      throw new IllegalArgumentException("limit: not a number: " + limit);
    }
  }

  @Override
  public Decision process(Packet packet, Decision decision) {
    return decision.drop("limited");
  }
}
