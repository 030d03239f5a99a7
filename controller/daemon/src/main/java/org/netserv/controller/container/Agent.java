// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * One connection to a container's agent. Used and answered on the loop. Each request is answered
 * exactly once: by the agent, or here with {@code ok=false}, {@code error} and {@code "here":true}
 * when it did not answer in time or the connection ended. Requests that change the container are
 * sent one at a time, in order.
 */
public interface Agent {

  /**
   * A question: {@code counters}, {@code trace}, {@code threads}, {@code ping}.
   *
   * @param op with {@code op}; {@code id} is set here
   */
  void ask(ObjectNode op, long timeoutMillis, Consumer<ObjectNode> reply);

  /**
   * A change: {@code install}, {@code uninstall}, {@code configure}.
   *
   * @param body whose bytes follow as B frames, or null
   */
  void change(ObjectNode op, Path body, long timeoutMillis, Consumer<ObjectNode> reply);

  /** Whether a change is under way: the agent may be busy with a module's start. */
  boolean changing();

  void close();
}
