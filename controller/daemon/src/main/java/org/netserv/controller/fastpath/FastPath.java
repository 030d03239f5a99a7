// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.fastpath;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.netserv.controller.isolation.Isolation;
import org.netserv.controller.spawner.Spawner;
import org.netserv.controller.spawner.SpawnerReply;
import org.netserv.controller.spawner.SpawnerRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node's fast path: the spawner says what this machine can do, policy on which interfaces it is
 * done. On the loop.
 */
public final class FastPath {
  private static final Logger LOG = LoggerFactory.getLogger(FastPath.class);
  private static final String INTERFACES = "interfaces";

  private final Spawner spawner;
  private final Supplier<Map<String, String>> order;
  private Set<String> features = Set.of();
  private Set<String> programs = Set.of();
  private String programsRefused = "";
  private String interfaces = "";

  /** Where the spawner was told last to be on. */
  private String ordered = "";

  private String refusal = "";
  private String blind = "";
  private boolean counted;
  private Runnable listener = () -> {};

  /**
   * Is off until {@link #prepared}.
   *
   * @param order the keys of the verb {@code fastpath}, as policy has them now
   */
  public FastPath(Spawner spawner, Supplier<Map<String, String>> order) {
    this.spawner = spawner;
    this.order = order;
  }

  /** Whom to tell when it begins or ceases to count. */
  public void whenChanged(Runnable told) {
    listener = told;
  }

  /** What the spawner answers to {@code prepare}: its key {@code features}. Gives the order. */
  public void prepared(Map<String, String> values) {
    offered(values);
    interfaces = "";
    ordered = "";
    order();
  }

  /**
   * The spawner's event {@code fastpath}: what does it has ended, or is there again and does what
   * was ordered.
   */
  public void changed(Map<String, String> values) {
    String wanted = order.get().getOrDefault(INTERFACES, "");
    String reason = values.getOrDefault("reason", "");
    offered(values);
    if (!reason.isEmpty()) {
      refuse(wanted, reason);
    } else if (wanted.equals(ordered)) {
      on(wanted);
    } else {
      order();
    }
  }

  private void offered(Map<String, String> values) {
    features = Isolation.names(values.getOrDefault("features", ""));
    programs = Isolation.names(values.getOrDefault("programs", ""));
    String refused = values.getOrDefault("programs-refused", "");
    if (!refused.isEmpty() && !refused.equals(programsRefused)) {
      LOG.warn("fast path: programs of the operator that are not taken: {}", refused);
    }
    programsRefused = refused;
  }

  /** Policy may say something else now. */
  public void order() {
    Map<String, String> keys = order.get();
    String wanted = keys.getOrDefault(INTERFACES, "");
    refusal = "";
    if (features.isEmpty()) {
      refuse(wanted, "this node has none");
    } else {
      ordered = wanted;
      spawner.request(SpawnerRequest.fastPath(keys), reply -> answered(wanted, reply));
    }
  }

  private void answered(String wanted, SpawnerReply reply) {
    if (reply.ok()) {
      blind = blind(wanted, reply.list("tc"));
      on(wanted);
    } else {
      refuse(wanted, reply.reason());
    }
  }

  /**
   * Interfaces by which nothing is counted.
   *
   * @param programs what each interface has got
   */
  private static String blind(String wanted, List<String> programs) {
    List<String> names = List.copyOf(Isolation.names(wanted));
    return IntStream.range(0, Math.min(names.size(), programs.size()))
        .filter(i -> programs.get(i).equals("none"))
        .mapToObj(names::get)
        .collect(Collectors.joining(" "));
  }

  private void on(String wanted) {
    interfaces = wanted;
    refusal = "";
    LOG.info("fast path: {}", wanted.isEmpty() ? "off" : "on " + wanted);
    tell();
  }

  private void tell() {
    boolean counts = cannotCount().isEmpty();
    if (counts != counted) {
      counted = counts;
      listener.run();
    }
  }

  private void refuse(String wanted, String why) {
    interfaces = "";
    if (!wanted.isEmpty()) {
      refusal = why;
      LOG.warn("fast path: not on {}: {}; every packet goes to its modules", wanted, why);
    }
    tell();
  }

  /** What it offers now; empty while it is off. */
  public Set<String> offered() {
    return interfaces.isEmpty() ? Set.of() : new LinkedHashSet<>(features);
  }

  /** Why it counts no packets now; empty if it does. */
  public Optional<String> cannotCount() {
    if (interfaces.isEmpty()) {
      return Optional.of(
          "the fast path of this node is off" + (refusal.isEmpty() ? "" : ": " + refusal));
    }
    if (!features.contains("count")) {
      return Optional.of("the kernel of this node does not take the program that would count");
    }
    return blind.isEmpty()
        ? Optional.empty()
        : Optional.of("the kernel of this node does not count what comes in by " + blind);
  }

  /** Where it is on. */
  public Set<String> interfaces() {
    return Isolation.names(interfaces);
  }

  /** Slots with a program of the operator's own. */
  public Set<String> programs() {
    return programs;
  }

  /** Why others of them have none; empty if there is nothing to say. */
  public String programsRefused() {
    return programsRefused;
  }

  /** Why it is not on although policy says so; empty if it is, or is not to be. */
  public String refusal() {
    return refusal;
  }
}
