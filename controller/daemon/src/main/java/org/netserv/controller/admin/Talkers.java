// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.admin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.regex.Pattern;
import org.netserv.controller.spawner.SpawnerReply;
import org.netserv.frames.Json;

/** Writes the spawner's answer to {@code talkers} as the reply of the admin socket. */
final class Talkers {
  /** The most that bpfd tells. */
  static final int MOST = 16;

  static final int PRESET = 10;

  private static final String DAMAGED = "the spawner's answer is damaged";

  /** The fields of an element, in the order of docs/protocols/bpfd.md. */
  private static final List<String> FIELDS =
      List.of(
          "publisher",
          "kind",
          "family",
          "protocol",
          "source",
          "sourcePort",
          "destination",
          "destinationPort",
          "ttl",
          "packets",
          "bytes",
          "idle");

  private static final List<String> TEXTS = List.of("publisher", "kind", "source", "destination");

  /** Digits that always fit a long. */
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

  private Talkers() {}

  /** Returns the reply. {@code because} says why there is nothing in it, or is empty. */
  static ObjectNode answer(SpawnerReply told) {
    ObjectNode answer = Json.object().put("ok", true).put("because", told.reason());
    answer.put("records", told.number("records", 0)).put("other", told.number("other", 0));
    ArrayNode list = answer.putArray("talkers");
    for (String element : told.list("talkers")) {
      if (list.size() == MOST || !add(list, element.split("/", -1))) {
        list.removeAll();
        return answer.put("because", DAMAGED);
      }
    }
    return answer;
  }

  private static boolean add(ArrayNode list, String[] values) {
    if (values.length != FIELDS.size()) {
      return false;
    }
    ObjectNode talker = Json.object();
    for (int i = 0; i < values.length; i++) {
      String field = FIELDS.get(i);
      if (TEXTS.contains(field)) {
        talker.put(field, values[i]);
      } else if (NUMBER.matcher(values[i]).matches()) {
        talker.put(field, Long.parseLong(values[i]));
      } else {
        return false;
      }
    }
    list.add(talker);
    return true;
  }
}
