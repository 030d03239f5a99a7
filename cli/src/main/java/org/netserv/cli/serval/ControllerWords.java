// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The options of a host's controller as words of its command line.
 *
 * @param words empty if the host has no controller
 */
public record ControllerWords(List<String> words) {
  /** Makes the words of a host without a controller. */
  public static final ControllerWords NONE = new ControllerWords(List.of());

  private static final String FIELD = "controller";

  /** Copies the list. */
  public ControllerWords {
    words = List.copyOf(words);
  }

  /** Returns the words for a key, routers and checks. */
  public static ControllerWords of(Path key, List<String> routers, List<String> checks) {
    List<String> words = new ArrayList<>(List.of("--key", key.toString()));
    routers.forEach(router -> words.addAll(List.of("--router", router)));
    checks.forEach(check -> words.addAll(List.of("--check", check)));
    return new ControllerWords(words);
  }

  boolean isEmpty() {
    return words.isEmpty();
  }

  void into(ObjectNode document) {
    ArrayNode list = document.putArray(FIELD);
    words.forEach(list::add);
  }

  static ControllerWords read(JsonNode document) {
    List<String> words = new ArrayList<>();
    document.path(FIELD).forEach(word -> words.add(word.asText()));
    return new ControllerWords(words);
  }
}
