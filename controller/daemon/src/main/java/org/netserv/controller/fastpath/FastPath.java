// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.fastpath;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
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
  private String interfaces = "";

  /** Where the spawner was told last to be on. */
  private String ordered = "";

  private String refusal = "";

  /**
   * Is off until {@link #prepared}.
   *
   * @param order the keys of the verb {@code fastpath}, as policy has them now
   */
  public FastPath(Spawner spawner, Supplier<Map<String, String>> order) {
    this.spawner = spawner;
    this.order = order;
  }

  /** What the spawner answers to {@code prepare}: its key {@code features}. Gives the order. */
  public void prepared(Map<String, String> values) {
    features = Isolation.names(values.getOrDefault("features", ""));
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
    features = Isolation.names(values.getOrDefault("features", ""));
    if (!reason.isEmpty()) {
      refuse(wanted, reason);
    } else if (wanted.equals(ordered)) {
      on(wanted);
    } else {
      order();
    }
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
      on(wanted);
    } else {
      refuse(wanted, reply.reason());
    }
  }

  private void on(String wanted) {
    interfaces = wanted;
    refusal = "";
    LOG.info("fast path: {}", wanted.isEmpty() ? "off" : "on " + wanted);
  }

  private void refuse(String wanted, String why) {
    interfaces = "";
    if (!wanted.isEmpty()) {
      refusal = why;
      LOG.warn("fast path: not on {}: {}; every packet goes to its modules", wanted, why);
    }
  }

  /** What it offers now; empty while it is off. */
  public Set<String> offered() {
    return interfaces.isEmpty() ? Set.of() : new LinkedHashSet<>(features);
  }

  /** Where it is on. */
  public Set<String> interfaces() {
    return Isolation.names(interfaces);
  }

  /** Why it is not on although policy says so; empty if it is, or is not to be. */
  public String refusal() {
    return refusal;
  }
}
