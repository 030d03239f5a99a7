// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * One connection to a container's agent. Used and answered on the loop. Each request is answered
 * exactly once. If the agent does not answer in time, or the connection ends, the answer is made
 * here, with {@code ok=false}, {@code error} and {@code "here":true}. Orders are sent one at a
 * time, in order.
 */
public interface Agent {

  /**
   * Asks a question: {@code counters}, {@code trace}, {@code threads}, {@code ping}.
   *
   * @param op the request with its {@code op}; {@code id} is set here
   */
  void ask(ObjectNode op, long timeoutMillis, Consumer<ObjectNode> reply);

  /**
   * Orders a change.
   *
   * @param body the bundle to send after it, as B frames, or null. A bundle with another digest
   *     than the order's is not sent, and the answer names the phase {@code install}.
   */
  void change(AgentOrder order, Path body, long timeoutMillis, Consumer<AgentReply> reply);

  /** Returns true while a change is under way. The agent may then be busy with a module's start. */
  boolean changing();

  void close();
}
