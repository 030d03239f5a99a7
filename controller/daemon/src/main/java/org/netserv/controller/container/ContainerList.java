// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The containers of all publishers, by publisher, uid and agent. On the loop. */
final class ContainerList {
  private final ContainerOrders orders;
  private final Map<String, Container> containers = new TreeMap<>();

  ContainerList(ContainerOrders orders) {
    this.orders = orders;
  }

  /** Returns the container of a publisher, which begins in the state IDLE. */
  Container of(String user) {
    return containers.computeIfAbsent(user, Container::new);
  }

  /** Returns the container of a publisher that has had one. */
  Optional<Container> find(String user) {
    return Optional.ofNullable(containers.get(user));
  }

  /** Returns all of them in the order of their publishers. The list does not change. */
  List<Container> all() {
    return List.copyOf(containers.values());
  }

  /** Returns the container that the spawner runs under this uid. */
  Optional<Container> runningAs(long uid) {
    return containers.values().stream().filter(c -> uid != 0 && c.uid == uid).findFirst();
  }

  /**
   * Returns the publisher of a uid. Policy decides if the spawner has not reported the container's
   * uid.
   */
  Optional<String> userOf(long uid) {
    return runningAs(uid)
        .map(c -> c.user)
        .or(() -> orders.userOf(uid).filter(user -> find(user).map(c -> c.uid).orElse(0L) == 0));
  }

  /**
   * Finds the container by its connection, not by the uid, because a connection that lingers is no
   * longer the container's.
   */
  Optional<Container> of(Agent agent) {
    return containers.values().stream().filter(c -> c.agent == agent).findFirst();
  }
}
