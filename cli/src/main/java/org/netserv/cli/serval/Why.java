// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.netserv.cli.doctor.HostFacts;
import org.netserv.cli.doctor.HostFacts.Run;
import org.netserv.cli.serval.ServiceRules.Rule;
import org.netserv.command.JsonCommand;

/**
 * Explains, step by step, where a connection to a service would go from this host, and what this
 * host does not know about it. Asks nobody in the network, and changes nothing.
 */
public final class Why {
  private final HostFacts host;
  private final String service;
  private final JsonNode services;
  private final JsonNode flows;
  private final JsonNode names;
  private final ArrayNode steps = JsonCommand.MAPPER.createArrayNode();
  private final ArrayNode unknown = JsonCommand.MAPPER.createArrayNode();
  private String verdict = "";

  /**
   * Explains a service.
   *
   * @param service serviceID, 1 to 64 hexadecimal digits
   * @param services the view of sald, and so are the other two
   */
  public Why(HostFacts host, String service, JsonNode services, JsonNode flows, JsonNode names) {
    this.host = host;
    this.service = ServiceRules.whole(service);
    this.services = services;
    this.flows = flows;
    this.names = names;
    names();
    List<Rule> best = rules();
    draw(best);
    incoming();
    open();
    limits(best);
  }

  /** Returns the serviceID of a name that sald has; a word that is no such name as it is. */
  public static String service(JsonNode names, String word) {
    for (JsonNode name : names.path("names")) {
      if (name.path("name").asText().equalsIgnoreCase(word)) {
        return name.path("id").asText();
      }
    }
    return word.toLowerCase(Locale.ROOT);
  }

  /** Returns {@code id}, {@code steps} with {@code step} and {@code text}, and the rest. */
  public ObjectNode document() {
    ObjectNode document = JsonCommand.MAPPER.createObjectNode();
    document.put("id", service);
    document.set("steps", steps);
    document.put("verdict", verdict);
    document.set("unknown", unknown);
    return document;
  }

  private void names() {
    boolean found = false;
    for (JsonNode name : names.path("names")) {
      if (!name.path("id").asText().equals(service)) {
        continue;
      }
      found = true;
      step("name", name.path("name").asText() + " stands for it in this host's DNS");
      step(
          "surrogate",
          name.has("address4")
              ? "DNS answers %s and %s"
                  .formatted(name.path("address4").asText(), name.path("address6").asText())
              : "none yet; the first question to DNS gives it one");
    }
    if (!found) {
      step("name", "no name leads to it; programs need one, or: netserv serval resolve " + id());
    }
  }

  private List<Rule> rules() {
    ServiceRules rules = new ServiceRules(services, service, false);
    if (rules.matching().isEmpty()) {
      step("rule", "no prefix matches");
      verdict = "refused: no rule (NO_RULE); the program gets a RST";
      return List.of();
    }
    List<Rule> best = rules.best();
    for (Rule rule : rules.matching()) {
      step("rule", describe(rule) + (best.contains(rule) ? "" : behind(rule, best.get(0))));
    }
    return best;
  }

  private static String describe(Rule rule) {
    return "%s/%d %s%s, rank %d, weight %d, drawn %d times"
        .formatted(
            rule.prefix(),
            rule.bits(),
            rule.action(),
            rule.drops() ? "" : " to " + rule.target(),
            rule.rank(),
            rule.weight(),
            rule.hits());
  }

  private static String behind(Rule rule, Rule best) {
    return rule.bits() < best.bits()
        ? " - not used: a longer prefix matches"
        : " - not used: another one has a higher rank";
  }

  /** Shows the shares of the targets, and the route to each. */
  private void draw(List<Rule> best) {
    if (best.isEmpty()) {
      return;
    }
    if (best.stream().anyMatch(Rule::drops)) {
      verdict = "refused: a drop has the best prefix and rank";
      step("draw", "a drop counts alone");
      return;
    }
    long sum = best.stream().mapToLong(Rule::weight).sum();
    List<String> targets = new ArrayList<>();
    for (Rule rule : best) {
      long percent = Math.round(100.0 * rule.weight() / sum);
      String route = route(rule.target());
      step("draw", "%s gets %d %% of the new connections".formatted(rule.target(), percent));
      step("route", rule.target() + " " + route);
      targets.add(rule.target());
    }
    verdict = "a SYN goes to " + String.join(" or ", targets);
  }

  private String route(String target) {
    Run run = host.run("ip", "-j", "route", "get", address(target));
    try {
      JsonNode route = JsonCommand.MAPPER.readTree(run.status() == 0 ? run.output() : "[]").path(0);
      if (route.has("dev")) {
        String gateway = route.has("gateway") ? " by " + route.path("gateway").asText() : "";
        return "leaves %s%s from %s"
            .formatted(route.path("dev").asText(), gateway, route.path("prefsrc").asText());
      }
    } catch (JsonProcessingException e) {
      return "has a route that ip shows in no JSON";
    }
    return "has no route (NO_ROUTE): " + run.line();
  }

  private static String address(String target) {
    String host = target.substring(0, Math.max(0, target.lastIndexOf(':')));
    return host.replace("[", "").replace("]", "");
  }

  /** Shows what would become of a SYN that comes to this host. */
  private void incoming() {
    for (Rule rule : new ServiceRules(services, service, true).matching()) {
      step("here", "connections that come in go to the listener of " + rule.target());
    }
  }

  private void open() {
    Map<String, Integer> peers = new TreeMap<>();
    for (JsonNode flow : flows.path("flows")) {
      if (flow.path("service").asText().equals(service)) {
        String key = flow.path("side").asText() + " " + flow.path("state").asText();
        peers.merge(key + " with " + flow.path("peer").asText(), 1, Integer::sum);
      }
    }
    if (peers.isEmpty()) {
      step("flows", "none");
    }
    peers.forEach((peer, count) -> step("flows", count + " " + peer));
  }

  private void limits(List<Rule> best) {
    cut("rules", services, "rules");
    cut("flows", flows, "flows");
    cut("names", names, "names");
    if (best.stream().noneMatch(Rule::drops) && !best.isEmpty()) {
      unknown.add("which rules a router at the target has, and whether anybody answers there");
      if (best.size() > 1) {
        unknown.add("which target the next connection draws; each SYN is drawn anew");
      }
      unknown.add("whether a program kept an address of an earlier answer of DNS");
    }
  }

  private void cut(String what, JsonNode view, String list) {
    int shown = view.path(list).size();
    if (view.path("count").asInt() > shown) {
      unknown.add(
          "%d of %d %s, which sald's view leaves out"
              .formatted(view.path("count").asInt() - shown, view.path("count").asInt(), what));
    }
  }

  private void step(String name, String text) {
    steps.addObject().put("step", name).put("text", text);
  }

  private String id() {
    return ServiceRules.shortened(service);
  }
}
