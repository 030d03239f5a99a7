// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent.module;

import java.util.Map;
import org.netserv.packet.Packet;
import org.netserv.packet.PktProcessor;
import org.netserv.packet.Verdict;

/** A component that drops everything and does not come up without a number as its {@code limit}. */
public final class Limited implements PktProcessor {
  public Limited(Map<String, Object> properties) {
    String limit = String.valueOf(properties.get("limit"));
    if (!limit.matches("[0-9]+")) {
      throw new IllegalArgumentException("limit: not a number: " + limit);
    }
  }

  @Override
  public Verdict process(Packet packet) {
    return packet.drop("limited");
  }
}
