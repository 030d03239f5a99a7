// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The operator's nf_tables chains, read from {@code nft -j list ruleset}, and their verdict on a
 * turned packet as far as rules without conditions tell.
 */
final class Ruleset {
  /** The end of a chain for a packet that matches no condition. */
  enum Verdict {
    ACCEPT,
    DROP,
    NONE
  }

  private static final int MOST_JUMPS = 16;

  /** Statements that neither end a packet's way nor depend on the packet. */
  private static final Set<String> NEUTRAL = Set.of("counter", "log", "notrack");

  private static final Set<String> ENDS =
      Set.of("accept", "drop", "reject", "jump", "goto", "return");

  private record Chain(JsonNode head, List<JsonNode> rules) {}

  private final Map<String, Chain> chains = new LinkedHashMap<>();

  Ruleset(JsonNode document) {
    for (JsonNode entry : document.path("nftables")) {
      if (entry.has("chain")) {
        JsonNode head = entry.get("chain");
        chains.put(key(head, head.path("name").asText()), new Chain(head, new ArrayList<>()));
      }
    }
    for (JsonNode entry : document.path("nftables")) {
      JsonNode rule = entry.path("rule");
      Chain chain = chains.get(key(rule, rule.path("chain").asText()));
      if (chain != null) {
        chain.rules().add(rule.path("expr"));
      }
    }
  }

  /**
   * Returns the base chains at the hooks of turned packets that drop a packet without a matching
   * condition, each as "family table chain". Leaves out our own table and the tables of iptables,
   * in which our rule stands first.
   */
  List<String> droppers() {
    return chains.entrySet().stream()
        .filter(entry -> isConcerned(entry.getValue().head()))
        .filter(entry -> drops(entry.getValue()))
        .map(Map.Entry::getKey)
        .toList();
  }

  private boolean drops(Chain chain) {
    Verdict verdict = verdict(chain, 0);
    boolean policy = chain.head().path("policy").asText().equals("drop");
    return verdict == Verdict.DROP || (verdict == Verdict.NONE && policy);
  }

  private static boolean isConcerned(JsonNode head) {
    String hook = head.path("hook").asText();
    String table = head.path("family").asText() + " " + head.path("table").asText();
    return (hook.equals("forward") || hook.equals("output"))
        && !table.equals("inet netserv")
        && !table.equals("ip filter")
        && !table.equals("ip6 filter");
  }

  private Verdict verdict(Chain chain, int depth) {
    for (JsonNode rule : chain.rules()) {
      Verdict verdict = verdict(chain.head(), rule, depth);
      if (verdict != Verdict.NONE) {
        return verdict;
      }
      if (isUnconditional(rule) && (has(rule, "goto") || has(rule, "return"))) {
        return Verdict.NONE;
      }
    }
    return Verdict.NONE;
  }

  private Verdict verdict(JsonNode head, JsonNode rule, int depth) {
    boolean unconditional = isUnconditional(rule);
    if (has(rule, "accept") && (unconditional || asksForMark(rule))) {
      return Verdict.ACCEPT;
    }
    if (!unconditional) {
      return Verdict.NONE;
    }
    return has(rule, "drop") || has(rule, "reject") ? Verdict.DROP : follow(head, rule, depth);
  }

  private Verdict follow(JsonNode head, JsonNode rule, int depth) {
    for (JsonNode statement : rule) {
      String way = statement.has("jump") ? "jump" : "goto";
      Chain next = chains.get(key(head, statement.path(way).path("target").asText()));
      if (next != null && depth < MOST_JUMPS) {
        return verdict(next, depth + 1);
      }
    }
    return Verdict.NONE;
  }

  private static boolean has(JsonNode rule, String statement) {
    for (JsonNode one : rule) {
      if (one.has(statement)) {
        return true;
      }
    }
    return false;
  }

  private static boolean asksForMark(JsonNode rule) {
    return rule.findValuesAsText("key").contains("mark");
  }

  private static boolean isUnconditional(JsonNode rule) {
    for (JsonNode statement : rule) {
      String name = statement.fieldNames().hasNext() ? statement.fieldNames().next() : "";
      if (!NEUTRAL.contains(name) && !ENDS.contains(name)) {
        return false;
      }
    }
    return true;
  }

  private static String key(JsonNode of, String name) {
    return of.path("family").asText() + " " + of.path("table").asText() + " " + name;
  }
}
