// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.limit;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.netserv.controller.container.Container;
import org.netserv.controller.container.ContainerOrders;
import org.netserv.controller.container.Containers;
import org.netserv.controller.loop.Loop;
import org.netserv.controller.spawner.ContainerSpec;
import org.netserv.controller.spawner.Spawner;
import org.netserv.controller.spawner.SpawnerReply;
import org.netserv.controller.spawner.SpawnerRequest;
import org.netserv.policy.Quotas;

/**
 * Asks the spawner every ten seconds how often each container has met its limits, and counts the
 * increase. The spawner's numbers begin anew with each container.
 */
public final class LimitPoll {
  private static final long EVERY = 10_000;

  /** The numbers of the last answer about one incarnation of a container. */
  private record Seen(long pid, Map<Limit, Long> times) {}

  private final Loop loop;
  private final Spawner spawner;
  private final Containers containers;
  private final ContainerOrders orders;
  private final Limits limits;
  private final Map<String, Seen> seen = new TreeMap<>();
  private final Map<String, Long> packetsPast = new TreeMap<>();

  public LimitPoll(
      Loop loop, Spawner spawner, Containers containers, ContainerOrders orders, Limits limits) {
    this.loop = loop;
    this.spawner = spawner;
    this.containers = containers;
    this.orders = orders;
    this.limits = limits;
  }

  public void start() {
    loop.after(EVERY, this::poll);
  }

  /**
   * Returns the number of packets that the node has handed to the servers of this publisher or
   * counted for it, past its modules, as last reported. Another number than before means that there
   * were such packets. 0 = none, or not known.
   */
  public long packetsPast(String user) {
    return packetsPast.getOrDefault(user, 0L);
  }

  private void poll() {
    if (spawner.connected()) {
      seen.keySet().removeIf(user -> containers.all().stream().noneMatch(is(user)));
      packetsPast.keySet().retainAll(seen.keySet());
      for (Container container : containers.all()) {
        boolean ours = container.starts() > 0;
        spawner.request(
            SpawnerRequest.stats(container.user()), reply -> take(container.user(), ours, reply));
      }
    }
    start();
  }

  private static Predicate<Container> is(String user) {
    return container -> container.user().equals(user);
  }

  /**
   * Counts the limits that a container has met since the last answer.
   *
   * @param ours whether this controller started the container. Otherwise another controller has
   *     counted the limits that it met before.
   */
  private void take(String user, boolean ours, SpawnerReply reply) {
    if (!reply.ok()) {
      return;
    }
    packetsPast.put(
        user, reply.number("network-packets", 0) + reply.number("flows-counted-packets", 0));
    Map<Limit, Long> times = new EnumMap<>(Limit.class);
    for (Limit limit : Limit.values()) {
      times.put(limit, reply.number(limit.counter(), 0));
    }
    Seen before = seen.put(user, new Seen(reply.number("pid", 0), times));
    boolean same = before != null && before.pid() == reply.number("pid", 0);
    if (before == null && !ours) {
      return;
    }
    Optional<Quotas> quotas = orders.start(user).map(ContainerSpec::quotas);
    times.forEach(
        (limit, now) -> {
          long more = now - (same ? before.times().get(limit) : 0);
          if (more > 0) {
            String quota = quotas.map(limit::value).map(String::valueOf).orElse("?");
            limits.met(user, limit, more, quota);
          }
        });
  }
}
