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
   * A module throws so often that its dispatcher shows it no packet any more; also told of each
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
