// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.spawner;

import java.util.Map;

/**
 * The answer to one request.
 *
 * @param ok whether it was done
 * @param values the keys of an {@code ok}
 * @param reason why not, empty if ok
 */
public record SpawnerReply(boolean ok, Map<String, String> values, String reason) {

  public static SpawnerReply done(Map<String, String> values) {
    return new SpawnerReply(true, values, "");
  }

  public static SpawnerReply refused(String reason) {
    return new SpawnerReply(false, Map.of(), reason);
  }

  /** The number under {@code key}, or {@code otherwise} if it is absent or not one. */
  public long number(String key, long otherwise) {
    try {
      return Long.parseLong(values.getOrDefault(key, ""));
    } catch (NumberFormatException e) {
      return otherwise;
    }
  }
}
