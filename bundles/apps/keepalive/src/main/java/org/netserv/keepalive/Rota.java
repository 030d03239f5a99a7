// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import org.netserv.packet.Packet;

/**
 * Selects the keep-alives that go to the server although the module could answer them, and judges
 * whether the server is alive. Replies do not pass this module, so the agents are the witnesses:
 *
 * <pre>
 *   let through ... next keep-alive, other transaction   it was answered: silence = 0
 *   let through ... the same transaction once more       it was not: silence + 1, and it passes too
 *   silence = silent-after                               everything passes, until one is answered
 * </pre>
 *
 * The module never answers a repetition of a keep-alive that it let through, because a dead server
 * must look dead.
 */
final class Rota {
  private final int every;
  private final int silentAfter;
  private final AgentTable agents;
  private int silence;

  Rota(int every, int silentAfter, AgentTable agents) {
    this.every = every;
    this.silentAfter = silentAfter;
    this.agents = agents;
  }

  /**
   * Decides about one keep-alive.
   *
   * @param transaction of a SIP request; 0 for a ping or STUN. Their repetitions tell nothing,
   *     because a server need not speak STUN. Its silence is no sign, and the repetition is
   *     answered here.
   * @return the reason to let it through, or null to answer it
   */
  Why turn(Packet packet, long transaction) {
    if (every == 0) {
      return null;
    }
    int agent = agents.find(packet.sourceHigh(), packet.sourceLow(), packet.sourcePort());
    if (transaction != 0 && agents.pending(agent) != 0) {
      if (agents.pending(agent) == transaction) {
        silence += agents.repeat(agent) ? 0 : 1;
        return Why.REPEATED;
      }
      silence = agents.isRepeated(agent) ? silence : 0;
      agents.pending(agent, 0);
    }
    int number = agents.next(agent);
    Why why =
        number == 1 ? Why.FIRST : number % every == 0 ? Why.TURN : isSilent() ? Why.SILENT : null;
    if (why != null && transaction != 0) {
      agents.pending(agent, transaction);
    }
    return why;
  }

  boolean isSilent() {
    return silentAfter > 0 && silence >= silentAfter;
  }
}
