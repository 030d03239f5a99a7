// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.spawner;

import java.util.Map;

/** News from the spawner, on the loop. */
public interface SpawnerListener {

  /**
   * A connection stands, after the hello. It is the first connection, or a connection to a
   * successor that has no containers.
   */
  void connected();

  /** The connection is gone. The client goes on trying. */
  void disconnected();

  /**
   * An event line.
   *
   * @param name the word after {@code event}
   */
  void event(String name, Map<String, String> values);
}
