// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.dashboard;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.netserv.command.JsonCommand;

/**
 * The nodes of a path, as the last PROBE found them, in path order. A node that no longer answers
 * keeps its place and is gone since the first answer without it. Safe for use by several threads.
 *
 * <pre>
 *   answered:  a  b  c      ->  a  b  c
 *   answered:  a  c         ->  a  b (gone)  c
 *   answered:  a  d  c      ->  a  d  b (gone)  c
 * </pre>
 */
public final class PathMap {
  /** Nodes on the map, at most. The nodes that are gone for longest are forgotten first. */
  static final int NODES_MAX = 64;

  /** A node that is gone for so long is forgotten. */
  static final long FORGOTTEN_MILLIS = 10 * 60_000;

  private static final String ID = "node-id";
  private static final String GONE = "gone";

  private final ObjectNode settings;
  private List<ObjectNode> nodes = new ArrayList<>();
  private ObjectNode answer = JsonCommand.MAPPER.createObjectNode();
  private String error = "";

  /**
   * Makes an empty map.
   *
   * @param settings of the PROBE, which the page shows
   */
  public PathMap(ObjectNode settings) {
    this.settings = settings.deepCopy();
  }

  /**
   * Takes the answer to a PROBE.
   *
   * @param probed the document of {@code netserv probe --json}
   * @param took milliseconds until the path had answered
   * @param now milliseconds since 1970
   */
  public synchronized void answered(ObjectNode probed, long took, long now) {
    error = "";
    answer = JsonCommand.MAPPER.createObjectNode();
    answer.put("answered", now).put("took", took);
    for (String field : List.of("outcome", "end", "reason")) {
      answer.set(field, probed.path(field));
    }
    nodes = merge(entries(probed.path("nodes"), now), now);
  }

  /** Notes that the last PROBE could not be sent. The nodes stay as they were. */
  public synchronized void failed(String why) {
    error = why;
  }

  private static List<ObjectNode> entries(JsonNode probed, long now) {
    List<ObjectNode> entries = new ArrayList<>();
    for (JsonNode node : probed) {
      if (entries.size() < NODES_MAX && node instanceof ObjectNode entry) {
        entries.add(entry.deepCopy().put("seen", now));
      }
    }
    return entries;
  }

  /** Puts the nodes that are gone before the first node that came behind them. */
  private List<ObjectNode> merge(List<ObjectNode> present, long now) {
    Map<String, Integer> before = places(nodes);
    Map<String, Integer> here = places(present);
    List<ObjectNode> merged = new ArrayList<>();
    int next = 0; // of the nodes before
    for (ObjectNode node : present) {
      for (int end = before.getOrDefault(id(node), 0); next < end; next++) {
        addGone(merged, nodes.get(next), here, now);
      }
      merged.add(node);
    }
    for (; next < nodes.size(); next++) {
      addGone(merged, nodes.get(next), here, now);
    }
    while (merged.size() > NODES_MAX) {
      merged.remove(longestGone(merged));
    }
    return merged;
  }

  private static Map<String, Integer> places(List<ObjectNode> nodes) {
    Map<String, Integer> places = new HashMap<>();
    for (int i = 0; i < nodes.size(); i++) {
      places.putIfAbsent(id(nodes.get(i)), i);
    }
    return places;
  }

  private static String id(JsonNode node) {
    return node.path(ID).asText();
  }

  private static void addGone(
      List<ObjectNode> to, ObjectNode node, Map<String, Integer> here, long now) {
    long since = node.path(GONE).asLong(now);
    if (!here.containsKey(id(node)) && now - since < FORGOTTEN_MILLIS) {
      to.add(node.put(GONE, since));
    }
  }

  private static ObjectNode longestGone(List<ObjectNode> merged) {
    ObjectNode longest = merged.get(0);
    for (ObjectNode node : merged) {
      if (node.path(GONE).asLong(Long.MAX_VALUE) < longest.path(GONE).asLong(Long.MAX_VALUE)) {
        longest = node;
      }
    }
    return longest;
  }

  /** Returns the map as the page gets it. */
  public synchronized ObjectNode document() {
    ObjectNode document = settings.deepCopy();
    document.setAll(answer);
    document.put("error", error);
    ArrayNode list = document.putArray("nodes");
    nodes.forEach(node -> list.add(node.deepCopy()));
    return document;
  }
}
