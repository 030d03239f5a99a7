// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import java.util.Map;

/** Hears the news of a container that its modules need, on the loop. */
public interface ContainerListener {

  /**
   * The agent answers.
   *
   * @param running symbolic name to hex SHA-256 of each module that is there already
   */
  void ready(String user, Map<String, String> running);

  /**
   * The container or its connection is gone. The container is brought back unless it was released.
   */
  void lost(String user, String why);

  /** The container could not be started. It will be tried again. */
  void failed(String user, String why);

  /**
   * A module throws so often that its dispatcher shows it no packet any more. Also called for each
   * such module after {@link #ready}.
   *
   * @param sha256 hex digest of the bundle that threw
   */
  void quarantined(String user, String module, String sha256, String reason);

  /**
   * A fault of a module.
   *
   * @param kind exit, oom, crash, stuck, leak; misuse is a fault of all modules
   * @param module symbolic name, or {@code -} if unknown
   */
  void fault(String user, String kind, String module, String text);
}
