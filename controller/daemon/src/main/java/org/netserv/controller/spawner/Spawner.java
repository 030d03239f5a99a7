// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.spawner;

import java.util.function.Consumer;

/** The spawner as the controller sees it. Used and answered on the loop. */
public interface Spawner {

  /**
   * Sends a request. {@code reply} is called exactly once, later, with the spawner's answer, with
   * "time-out", or with "not connected" or "connection lost". After "time-out" or "connection lost"
   * the caller does not know whether the request was done.
   */
  void request(SpawnerRequest request, Consumer<SpawnerReply> reply);

  boolean connected();
}
