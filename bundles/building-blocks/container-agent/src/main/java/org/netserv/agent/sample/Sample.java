// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent.sample;

import java.util.Map;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.PktProcessor;

/**
 * The component of the bundle by which a spare container tries an installation. The component does
 * what most modules do: takes properties, and looks into packets.
 */
public final class Sample implements PktProcessor {
  private volatile String reason = "";

  /** Takes the properties. Called by Declarative Services. */
  public void activate(Map<String, Object> properties) {
    reason = String.valueOf(properties.get("reason"));
  }

  @Override
  public Decision process(Packet packet, Decision decision) {
    return decision.pass(reason);
  }

  @Override
  public void warmUp(Packet packet, Decision decision) {
    if (packet.destinationPort() > 0) {
      process(packet, decision);
    }
  }
}
