// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Remembers when each agent was heard, and finds those that fell silent. Bounded: a full log
 * forgets the agent not heard of for longest. Belongs to the link's thread.
 *
 * <p>An agent that fell silent is told of {@value #REPEATS} times, because a report may be lost. If
 * the agent is heard again meanwhile, no more is said.
 */
final class AgentLog {
  static final int REPEATS = 3;

  /** An agent of a server. */
  record Agent(long high, long low, int port, int server) {}

  /** Is told of agents that are silent. */
  interface Teller {
    /** Returns false if there is no room. The agent is told of later. */
    boolean tell(Agent agent, long silentSeconds);
  }

  private record Silent(Agent agent, long heard, long due, int left) {}

  private final int most;
  private final long silentAfter;
  private final long again;
  private final LinkedHashMap<Agent, Long> heard = new LinkedHashMap<>();
  private final ArrayDeque<Silent> silent = new ArrayDeque<>();
  private long forgotten;

  /**
   * @param most agents at once
   * @param silentAfter seconds without a keep-alive
   * @param again seconds until a silent agent is told of again
   */
  AgentLog(int most, long silentAfter, long again) {
    this.most = most;
    this.silentAfter = silentAfter;
    this.again = again;
  }

  /** Takes note of an agent, at {@code now} in seconds. */
  void heard(Agent agent, long now) {
    heard.remove(agent); // the order is that of the last time
    heard.put(agent, now);
    if (heard.size() > most) {
      heard.remove(heard.keySet().iterator().next());
      forgotten++;
    }
  }

  /** Tells of agents that are silent at {@code now}. */
  void turn(long now, Teller teller) {
    Iterator<Map.Entry<Agent, Long>> eldest = heard.entrySet().iterator();
    while (eldest.hasNext()) {
      Map.Entry<Agent, Long> entry = eldest.next();
      if (now - entry.getValue() < silentAfter) {
        break;
      }
      if (silent.size() < most) {
        silent.add(new Silent(entry.getKey(), entry.getValue(), now, REPEATS));
      }
      eldest.remove();
    }
    for (int n = silent.size(); n > 0 && silent.peek().due() <= now; n--) {
      Silent first = silent.peek();
      if (!heard.containsKey(first.agent())) {
        if (!teller.tell(first.agent(), now - first.heard())) {
          return;
        }
        if (first.left() > 1) {
          silent.add(new Silent(first.agent(), first.heard(), now + again, first.left() - 1));
        }
      }
      silent.remove();
    }
  }

  /** Returns the number of agents that are not silent. */
  int size() {
    return heard.size();
  }

  /** Returns the number of agents that a full log forgot. */
  long forgotten() {
    return forgotten;
  }
}
