// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.isolation;

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.netserv.policy.IsolationPolicy;
import org.netserv.policy.LayerCovers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The layers of isolation that containers have here, and the refusals that follow from missing
 * layers. A publisher that is not the operator's own is refused unless other layers cover each
 * missing layer or policy accepts it as missing. On the loop.
 *
 * <p>A layer is missing when the spawner says that the machine cannot give it, or when policy
 * leaves it out.
 */
public final class Isolation {
  private static final Logger LOG = LoggerFactory.getLogger(Isolation.class);

  private final IsolationRules rules;
  private Set<String> given = Set.of();
  private Set<String> lacking = Set.of();
  private boolean known;
  private String said = "";

  /** Knows nothing yet. */
  public Isolation(IsolationRules rules) {
    this.rules = rules;
  }

  /**
   * Takes the spawner's answer to {@code prepare} with its keys {@code layers} and {@code missing}.
   * A spawner that does not name its layers is taken to have none.
   */
  public void prepared(Map<String, String> values) {
    known = values.containsKey("missing");
    given = names(values.getOrDefault("layers", ""));
    lacking = known ? names(values.get("missing")) : new LinkedHashSet<>(IsolationPolicy.LAYERS);
    say();
  }

  /**
   * Returns the layers that containers get here, in the spawner's order; empty while they are not
   * known.
   */
  public Set<String> layers() {
    return minus(given, rules.isolation().leftOut());
  }

  /** Returns the layers that containers do not get here. */
  public Set<String> missing() {
    Set<String> missing = new LinkedHashSet<>(lacking);
    missing.addAll(rules.isolation().leftOut());
    return missing;
  }

  /**
   * Returns the missing layers that other layers cover, each with the layers that have its effect.
   */
  public Map<String, List<String>> covered() {
    return LayerCovers.among(missing());
  }

  /**
   * Returns the missing layers that make the node refuse publishers other than the operator's own.
   */
  public Set<String> refusing() {
    return rules.isolation().refusing(missing());
  }

  /** Returns the missing layers that make the node refuse this publisher. */
  public Set<String> refusing(String user) {
    return rules.operator(user) ? Set.of() : refusing();
  }

  /** Returns the reason why a publisher cannot be served here; empty if it can. */
  public Optional<String> refusal(String user) {
    return refusal(refusing(user), "this node lacks");
  }

  /**
   * Returns the reason why a publisher's container must not run as it was started; empty if it may.
   *
   * @param without the layers that it was started without
   */
  public Optional<String> refusal(String user, Set<String> without) {
    Set<String> lacks = rules.operator(user) ? Set.of() : rules.isolation().refusing(without);
    return refusal(lacks, "it was started without");
  }

  private static Optional<String> refusal(Set<String> lacks, String who) {
    return lacks.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "cannot be isolated here: "
                + who
                + " "
                + String.join(", ", lacks)
                + "; only publishers of its operator are served without");
  }

  /** Logs the layers of this node, if they have changed. */
  public void say() {
    Set<String> missing = missing();
    String names = String.join(", ", missing);
    String now = known + " " + names + "; " + refusing();
    if (now.equals(said)) {
      return;
    }
    said = now;
    if (!known) {
      LOG.warn("isolation: the spawner does not say which layers containers have");
    }
    if (!refusing().isEmpty()) {
      LOG.error(
          "isolation: THIS NODE LACKS {}: publishers that are not its operator's are refused",
          names);
    } else if (!covered().keySet().containsAll(missing)) {
      LOG.warn(
          "isolation: THIS NODE LACKS {}, which node.yaml accepts: everybody is served without",
          names);
    } else if (!missing.isEmpty()) {
      LOG.info("isolation: {}", String.join("; ", LayerCovers.inWords(covered())));
    } else if (known) {
      LOG.info("isolation: every layer is there: {}", String.join(", ", layers()));
    }
  }

  /** Returns the names of a list that the spawner has written. */
  public static Set<String> names(String list) {
    return list.isEmpty() ? Set.of() : new LinkedHashSet<>(Arrays.asList(list.split(",", -1)));
  }

  private static Set<String> minus(Set<String> from, Collection<String> names) {
    Set<String> rest = new LinkedHashSet<>(from);
    rest.removeAll(names);
    return rest;
  }
}
