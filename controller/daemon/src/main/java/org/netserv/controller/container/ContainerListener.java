// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import java.util.Map;

/** What the modules of a container need to know about it; on the loop. */
public interface ContainerListener {

  /**
   * The agent answers.
   *
   * @param running symbolic name to hex SHA-256 of what runs there already
   */
  void ready(String user, Map<String, String> running);

  /** The container or its connection is gone; it is being brought back unless it was released. */
  void lost(String user, String why);

  /** It could not be started; it will be tried again. */
  void failed(String user, String why);

  /**
   * A fault of a module.
   *
   * @param kind exit, oom, crash, stuck, quarantined, leak
   * @param module symbolic name, or {@code -} if unknown
   */
  void fault(String user, String kind, String module, String text);
}
