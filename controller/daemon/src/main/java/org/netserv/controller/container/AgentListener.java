// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

/** News from agents, on the loop. */
public interface AgentListener {

  /**
   * An agent has connected and said hello.
   *
   * @param uid of its process, as the kernel says
   */
  void greeted(long uid, Agent agent, AgentHello hello);

  /** An event of a connection that has greeted. */
  void event(long uid, Agent agent, AgentEvent event);

  /** A connection that has greeted sent a reply to no request, or to a request that is over. */
  void unasked(long uid, Agent agent);

  /** A connection that had greeted is gone; its pending requests have been answered. */
  void lost(long uid, Agent agent, String why);

  /**
   * A uid keeps breaking the rules of the container socket.
   *
   * @param why reason, for people
   */
  void misused(long uid, String why);
}
