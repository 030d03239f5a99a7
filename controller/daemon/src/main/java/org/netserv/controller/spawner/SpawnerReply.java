// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.spawner;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The answer to one request.
 *
 * @param ok whether the request was done
 * @param values the keys of an {@code ok}
 * @param reason the reason of a refusal, empty if ok
 */
public record SpawnerReply(boolean ok, Map<String, String> values, String reason) {

  public static SpawnerReply done(Map<String, String> values) {
    return new SpawnerReply(true, values, "");
  }

  public static SpawnerReply refused(String reason) {
    return new SpawnerReply(false, Map.of(), reason);
  }

  /**
   * Returns the containers of an answer to {@code list}, with the uid of each; 0 where an older
   * spawner does not tell it.
   */
  public Map<String, Long> containers() {
    List<String> names = list("containers");
    List<String> uids = list("uids");
    Map<String, Long> all = new LinkedHashMap<>();
    for (int i = 0; i < names.size(); i++) {
      String uid = uids.size() == names.size() ? uids.get(i) : "";
      all.put(names.get(i), uid.matches("[0-9]{1,10}") ? Long.parseLong(uid) : 0);
    }
    return all;
  }

  /** Returns the elements of the list under {@code key}; none if it is absent. */
  public List<String> list(String key) {
    String text = values.getOrDefault(key, "");
    return text.isEmpty() ? List.of() : Arrays.asList(text.split(",", -1));
  }

  /** Returns the number under {@code key}, or {@code otherwise} if it is absent or no number. */
  public long number(String key, long otherwise) {
    try {
      return Long.parseLong(values.getOrDefault(key, ""));
    } catch (NumberFormatException e) {
      return otherwise;
    }
  }
}
