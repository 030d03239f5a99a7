// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import org.netserv.packet.Packet;

/**
 * Selects the keep-alives that go to the server although the module could answer them, and judges
 * whether the server is alive. Replies do not pass this module. Its own requests to the server tell
 * most ({@link ServerWatch}); where the policy does not allow them, the agents are the witnesses:
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
  private final Seen seen;
  private final int reportEvery;
  private int silence;
  private int agent; // of the last turn

  /** Makes one that reports no agents. */
  Rota(int every, int silentAfter, AgentTable agents) {
    this(every, silentAfter, agents, null, 0);
  }

  /**
   * @param seen takes each agent once in {@code reportEvery} seconds; null = none is reported
   */
  Rota(int every, int silentAfter, AgentTable agents, Seen seen, int reportEvery) {
    this.every = every;
    this.silentAfter = silentAfter;
    this.agents = agents;
    this.seen = seen;
    this.reportEvery = reportEvery;
  }

  /** Decides about a keep-alive to a server that is not dead, which {@code turn} explains. */
  Why turn(Packet packet, long transaction) {
    return turn(packet, transaction, -1, false, 0);
  }

  /**
   * Decides about one keep-alive.
   *
   * @param transaction of a SIP request; 0 for a ping or STUN. Their repetitions tell nothing,
   *     because a server need not speak STUN. Its silence is no sign, and the repetition is
   *     answered here.
   * @param server the server's place, -1 = none
   * @param dead whether the server is dead, so that everything travels on
   * @param skipped keep-alives of the agent that the kernel has answered since its last one
   * @return the reason to let it through, or null to answer it
   */
  Why turn(Packet packet, long transaction, int server, boolean dead, int skipped) {
    if (every == 0 && seen == null) {
      return dead ? Why.DEAD : null;
    }
    agent = agents.find(packet.sourceHigh(), packet.sourceLow(), packet.sourcePort());
    if (seen != null && server >= 0) {
      report(packet, server);
    }
    if (every == 0) {
      return dead ? Why.DEAD : null;
    }
    if (transaction != 0 && agents.pending(agent) != 0) {
      if (agents.pending(agent) == transaction) {
        silence += agents.repeat(agent) ? 0 : 1;
        return Why.REPEATED;
      }
      silence = agents.isRepeated(agent) ? silence : 0;
      agents.pending(agent, 0);
    }
    agents.skip(agent, skipped);
    Why why = reason(agents.next(agent), dead);
    if (why != null && transaction != 0) {
      agents.pending(agent, transaction);
    }
    return why;
  }

  /**
   * Returns how many keep-alives of the last turn's agent may be answered before the next one that
   * travels on. 0 = any number, -1 = none.
   */
  int budget() {
    if (every == 0) {
      return 0;
    }
    int left = every - 1 - agents.number(agent) % every;
    return left > 0 ? left : -1;
  }

  private Why reason(int number, boolean dead) {
    if (number == 1) {
      return Why.FIRST;
    }
    if (number % every == 0) {
      return Why.TURN;
    }
    return dead ? Why.DEAD : isSilent() ? Why.SILENT : null;
  }

  private void report(Packet packet, int server) {
    int now = seen.seconds();
    if (agents.isDue(agent, now, reportEvery)
        && seen.offer(packet.sourceHigh(), packet.sourceLow(), packet.sourcePort(), server)) {
      agents.reported(agent, now);
    }
  }

  boolean isSilent() {
    return silentAfter > 0 && silence >= silentAfter;
  }
}
