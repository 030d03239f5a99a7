// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.netserv.command.JsonCommand;

/**
 * Explains the decision of a service router about one serviceID, by the rules that the router has
 * shown: the longest prefix, then the highest preference and priority, then a DROP or DELAY alone
 * or a draw by weight.
 */
public final class RouterRules {
  private static final int PERCENT = 100;

  private final String id;
  private final List<JsonNode> rules = new ArrayList<>();
  private final List<JsonNode> best = new ArrayList<>();
  private final int left;

  /**
   * Takes a router's answer.
   *
   * @param id serviceID, 1 to 64 hexadecimal digits
   * @param reply {@code rules} of docs/protocols/admin.md, the rules that count first
   */
  public RouterRules(String id, JsonNode reply) {
    this.id = ServiceRules.whole(id);
    reply.path("rules").forEach(rules::add);
    left = reply.path("count").asInt() - rules.size();
    for (JsonNode rule : rules) {
      if (best.isEmpty() || (isOfRank(rule) && !isAlone(best.get(0)) && isNew(rule))) {
        best.add(rule);
      }
    }
  }

  private boolean isOfRank(JsonNode rule) {
    JsonNode first = best.get(0);
    return List.of("bits", "preference", "priority").stream()
        .allMatch(key -> rule.path(key).asInt() == first.path(key).asInt());
  }

  private static boolean isAlone(JsonNode rule) {
    return Set.of("drop", "delay").contains(rule.path("action").asText());
  }

  /** Returns false for a target that another origin gives, too: it counts once. */
  private boolean isNew(JsonNode rule) {
    return best.stream().noneMatch(each -> target(each).equals(target(rule)));
  }

  /** Returns the target of a rule in words. */
  private static String target(JsonNode rule) {
    return rule.path("action").asText().equals("demux")
        ? "the router itself"
        : rule.path("target").asText();
  }

  /** Returns the targets with their shares. */
  public ArrayNode targets() {
    ArrayNode targets = JsonCommand.MAPPER.createArrayNode();
    if (best.isEmpty() || isAlone(best.get(0))) {
      return targets;
    }
    long sum = best.stream().mapToLong(rule -> rule.path("weight").asLong()).sum();
    for (JsonNode rule : best) {
      targets
          .addObject()
          .put("target", target(rule))
          .put("percent", Math.round((double) PERCENT * rule.path("weight").asLong() / sum))
          .put("kernel", rule.path("kernel").asBoolean());
    }
    return targets;
  }

  /** Returns {@code id}, {@code steps} with {@code step} and {@code text}, and the rest. */
  public ObjectNode document() {
    ObjectNode document = JsonCommand.MAPPER.createObjectNode();
    document.put("id", id);
    ArrayNode steps = document.putArray("steps");
    for (JsonNode rule : rules) {
      step(steps, "rule", describe(rule) + (best.contains(rule) ? "" : behind(rule)));
    }
    ArrayNode targets = targets();
    for (JsonNode target : targets) {
      step(
          steps,
          "draw",
          "%s gets %d %% of the new connections"
              .formatted(target.path("target").asText(), target.path("percent").asInt()));
    }
    if (!targets.isEmpty()) {
      step(steps, "kernel", kernel(targets));
    }
    document.put("verdict", verdict(targets));
    ArrayNode unknown = document.putArray("unknown");
    if (left > 0) {
      unknown.add(left + " more rules match, which this view leaves out");
    }
    if (!targets.isEmpty()) {
      unknown.add("whether anybody answers at the target, and what a router there does");
    }
    return document;
  }

  private static String describe(JsonNode rule) {
    String seconds = rule.has("seconds") ? rule.path("seconds").asText() + " s left" : "for good";
    String target = isAlone(rule) ? "" : " to " + target(rule);
    return "%s/%d %s%s by %s, preference %d, priority %d, weight %d, %s, %d packets"
        .formatted(
            ServiceRules.shortened(rule.path("prefix").asText()),
            rule.path("bits").asInt(),
            rule.path("action").asText(),
            target,
            rule.path("origin").asText(),
            rule.path("preference").asInt(),
            rule.path("priority").asInt(),
            rule.path("weight").asInt(),
            seconds,
            rule.path("hits").asLong());
  }

  private String behind(JsonNode rule) {
    JsonNode first = best.get(0);
    if (rule.path("bits").asInt() < first.path("bits").asInt()) {
      return " - not used: a longer prefix matches";
    }
    if (!isOfRank(rule)) {
      return " - not used: another one has a higher rank";
    }
    return isAlone(first)
        ? " - not used: a " + first.path("action").asText() + " counts alone"
        : " - not used: another origin gives the same target";
  }

  private static String kernel(ArrayNode targets) {
    Set<Boolean> all = new TreeSet<>();
    targets.forEach(target -> all.add(target.path("kernel").asBoolean()));
    if (all.size() > 1) {
      return "has some of these targets; the module routes what comes to it";
    }
    return all.contains(true)
        ? "the node's kernel routes by these targets; such packets are not counted here"
        : "not in the kernel; the module routes";
  }

  private String verdict(ArrayNode targets) {
    if (best.isEmpty()) {
      return "refused: no rule (FORWARD_NO_RULE)";
    }
    if (targets.isEmpty()) {
      return best.get(0).path("action").asText().equals("drop")
          ? "refused: a drop has the best prefix and rank (FORWARD_RULE_DROPS)"
          : "a SYN waits until a rule with a longer prefix or a higher rank comes (FORWARD_HOLD)";
    }
    List<String> names = new ArrayList<>();
    targets.forEach(target -> names.add(target.path("target").asText()));
    return "a SYN goes to " + String.join(" or ", names);
  }

  private static void step(ArrayNode steps, String name, String text) {
    steps.addObject().put("step", name).put("text", text);
  }
}
