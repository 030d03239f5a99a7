// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The look-up of docs/protocols/serval.md, "Service table", on the rules that sald shows: the
 * longest prefix, then the highest rank, then a DROP alone or a draw by weight.
 */
public final class ServiceRules {
  private static final int DIGIT_BITS = 4;
  private static final int DIGITS = 64;

  /**
   * A rule.
   *
   * @param id prefix, 64 hexadecimal digits
   * @param bits of the prefix, 0 to 256
   * @param action forward, register or drop
   * @param target address and port; empty for a drop
   */
  record Rule(String id, int bits, String action, String target, int rank, int weight, long hits) {
    static Rule of(JsonNode rule) {
      return new Rule(
          rule.path("id").asText(),
          rule.path("bits").asInt(),
          rule.path("action").asText(),
          rule.path("target").asText(),
          rule.path("rank").asInt(),
          Math.max(1, rule.path("weight").asInt()),
          rule.path("hits").asLong());
    }

    boolean isLocal() {
      return action.equals("register");
    }

    boolean drops() {
      return action.equals("drop");
    }

    /** Returns true if the prefix begins the serviceID. Rules of sald have whole digits. */
    boolean matches(String service) {
      int digits = bits / DIGIT_BITS;
      return id.length() >= digits && service.startsWith(id.substring(0, digits));
    }

    /** Returns the prefix as people write it. */
    String prefix() {
      int digits = Math.min(id.length(), (bits + DIGIT_BITS - 1) / DIGIT_BITS);
      return bits == 0 ? "default" : shortened(id.substring(0, digits));
    }

    boolean standsWith(Rule other) {
      return bits == other.bits && rank == other.rank;
    }
  }

  private static final Comparator<Rule> FIRST_IS_BEST =
      Comparator.comparingInt(Rule::bits).thenComparingInt(Rule::rank).reversed();

  private final List<Rule> matching = new ArrayList<>();

  /**
   * Takes the rules that match.
   *
   * @param services the view of sald
   * @param service 64 hexadecimal digits
   * @param local true for connections that come in, to which registrations alone count
   */
  ServiceRules(JsonNode services, String service, boolean local) {
    for (JsonNode node : services.path("rules")) {
      Rule rule = Rule.of(node);
      if (rule.isLocal() == local && rule.matches(service)) {
        matching.add(rule);
      }
    }
    matching.sort(FIRST_IS_BEST);
  }

  /** Returns the matching rules, the best first. */
  List<Rule> matching() {
    return List.copyOf(matching);
  }

  /** Returns the rules of the best prefix and rank: those that a draw is among. */
  List<Rule> best() {
    return matching.stream().filter(rule -> rule.standsWith(matching.get(0))).toList();
  }

  /** Returns a serviceID or prefix without the zeros at its end, at least two digits of it. */
  public static String shortened(String id) {
    String text = id.replaceFirst("0+$", "");
    int even = text.length() + text.length() % 2;
    return id.substring(0, Math.min(id.length(), Math.max(2, even)));
  }

  /** Returns a serviceID with all its digits. */
  public static String whole(String id) {
    return id.length() >= DIGITS ? id : id + "0".repeat(DIGITS - id.length());
  }
}
