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
import org.netserv.policy.FastPathPolicy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node's fast path. The spawner tells its features on this machine, and policy its interfaces.
 * On the loop.
 */
public final class FastPath {
  private static final Logger LOG = LoggerFactory.getLogger(FastPath.class);
  private static final FastPathPolicy OFF =
      new FastPathPolicy(List.of(), FastPathPolicy.Mode.AUTO, FastPathPolicy.Forward.KERNEL);

  private final Spawner spawner;
  private final Supplier<FastPathPolicy> order;
  private Set<String> features = Set.of();
  private Set<String> programs = Set.of();
  private String programsRefused = "";

  /** The order that is carried out now. */
  private FastPathPolicy carriedOut = OFF;

  /** The last order to the spawner. */
  private FastPathPolicy ordered = OFF;

  private String refusal = "";
  private String blind = "";
  private boolean counted;
  private Runnable listener = () -> {};

  /**
   * Is off until {@link #prepared}.
   *
   * @param order the interfaces as policy has them now, and how it is done there
   */
  public FastPath(Spawner spawner, Supplier<FastPathPolicy> order) {
    this.spawner = spawner;
    this.order = order;
  }

  /** Sets the listener, which runs when the fast path begins or ceases to count. */
  public void whenChanged(Runnable told) {
    listener = told;
  }

  /**
   * Takes the spawner's answer to {@code prepare} with its key {@code features}, and gives the
   * order.
   */
  public void prepared(Map<String, String> values) {
    offered(values);
    carriedOut = OFF;
    ordered = OFF;
    order();
  }

  /**
   * Takes the spawner's event {@code fastpath}. Either bpfd has ended, or it is back and carries
   * out the order.
   */
  public void changed(Map<String, String> values) {
    FastPathPolicy wanted = order.get();
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

  /** Gives the spawner the order of present policy. */
  public void order() {
    FastPathPolicy wanted = order.get();
    refusal = "";
    if (features.isEmpty()) {
      refuse(wanted, "this node has none");
    } else {
      ordered = wanted;
      spawner.request(SpawnerRequest.fastPath(wanted), reply -> answered(wanted, reply));
    }
  }

  private void answered(FastPathPolicy wanted, SpawnerReply reply) {
    if (reply.ok()) {
      blind = blind(wanted.interfaces(), reply.list("tc"));
      on(wanted);
    } else {
      refuse(wanted, reply.reason());
    }
  }

  /**
   * Returns the interfaces by which nothing is counted.
   *
   * @param names the interfaces of the order
   * @param programs the program that each interface has got
   */
  private static String blind(List<String> names, List<String> programs) {
    return IntStream.range(0, Math.min(names.size(), programs.size()))
        .filter(i -> programs.get(i).equals("none"))
        .mapToObj(names::get)
        .collect(Collectors.joining(" "));
  }

  private void on(FastPathPolicy wanted) {
    carriedOut = wanted;
    refusal = "";
    LOG.info("fast path: {}", isOff() ? "off" : "on " + String.join(",", wanted.interfaces()));
    tell();
  }

  private void tell() {
    boolean counts = cannotCount().isEmpty();
    if (counts != counted) {
      counted = counts;
      listener.run();
    }
  }

  private void refuse(FastPathPolicy wanted, String why) {
    carriedOut = OFF;
    if (!wanted.interfaces().isEmpty()) {
      refusal = why;
      String names = String.join(",", wanted.interfaces());
      LOG.warn("fast path: not on {}: {}; every packet goes to its modules", names, why);
    }
    tell();
  }

  private boolean isOff() {
    return carriedOut.interfaces().isEmpty();
  }

  /** Returns the features that it offers now; empty while it is off. */
  public Set<String> offered() {
    return isOff() ? Set.of() : new LinkedHashSet<>(features);
  }

  /** Returns the reason why it counts no packets now; empty if it does. */
  public Optional<String> cannotCount() {
    if (isOff()) {
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

  /** Returns the interfaces on which it is on. */
  public List<String> interfaces() {
    return carriedOut.interfaces();
  }

  /** Returns the way out for packets that it has decided; empty while it is off. */
  public Optional<FastPathPolicy.Forward> forward() {
    return isOff() ? Optional.empty() : Optional.of(carriedOut.forward());
  }

  /** Returns the slots with a program of the operator's own. */
  public Set<String> programs() {
    return programs;
  }

  /**
   * Returns the reasons why other programs of the operator are not taken; empty if there is nothing
   * to say.
   */
  public String programsRefused() {
    return programsRefused;
  }

  /**
   * Returns the reason why it is not on although policy says so; empty if it is on, or is not to be
   * on.
   */
  public String refusal() {
    return refusal;
  }
}
