// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import org.netserv.packet.Packet;

/**
 * Templates of the agents that sent keep-alives lately. Agents with equal hashes take turns at one
 * place. Each place allocates its memory, about 2.5 KB, at its first use, 2.5 MB in all.
 */
final class Templates {
  private static final int PLACE_BITS = 10;

  private final AgentTemplate[] places = new AgentTemplate[1 << PLACE_BITS];

  /** Returns the template of the packet's sender and receiver, or null. */
  AgentTemplate of(Packet packet) {
    AgentTemplate template = places[place(packet)];
    return template != null && template.isOf(packet) ? template : null;
  }

  /** Gives the place to this sender and receiver. */
  AgentTemplate make(Packet packet) {
    int place = place(packet);
    if (places[place] == null) {
      places[place] = new AgentTemplate();
    }
    places[place].take(packet);
    return places[place];
  }

  private static int place(Packet packet) {
    long hash = (packet.sourceLow() * 31 + packet.sourceHigh()) * 31 + packet.sourcePort();
    return (int) ((hash * 0x9e3779b97f4a7c15L) >>> (Long.SIZE - PLACE_BITS));
  }
}
