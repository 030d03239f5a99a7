// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.registration.Registrar;
import org.netserv.serval.registration.RegistrationHost;

/** The registrations of one service, one with each router of the endpoint. */
final class Registrars {
  /** Sends the messages of a service to routers. */
  interface Port {
    void send(ServicePrefix prefix, Router router, ByteBuffer message);
  }

  private final ServicePrefix prefix;
  private final List<Router> routers;
  private final List<Registrar> each = new ArrayList<>();
  private boolean withdraws;

  Registrars(
      ServicePrefix prefix, int weight, List<Router> routers, RandomGenerator random, Port port) {
    this.prefix = prefix;
    this.routers = routers;
    for (Router router : routers) {
      RegistrationHost signed =
          router.key() == null
              ? null
              : new RegistrationHost(prefix, router.key(), weight, Registrar.LIFETIME, random);
      each.add(new Registrar(prefix, signed, message -> port.send(prefix, router, message)));
    }
  }

  /** Tells whether a service with these serviceIDs is being withdrawn. */
  boolean withdraws(ServicePrefix other) {
    return withdraws && prefix.equals(other);
  }

  void moved(Endpoint old, long now) {
    each.forEach(registrar -> registrar.moved(old, now));
  }

  void weight(int weight, long now) {
    each.forEach(registrar -> registrar.weight(weight, now));
  }

  void withdraw(long now) {
    withdraws = true;
    each.forEach(registrar -> registrar.withdraw(now));
  }

  /**
   * Takes an answer of the router that has this address and serviceID.
   *
   * @return false if the bytes are none
   */
  boolean take(Endpoint source, ServiceId from, ByteBuffer payload, long now) {
    for (int i = 0; i < routers.size(); i++) {
      Router router = routers.get(i);
      if (source.isSocketOf(router.address())
          && router.id().equals(from)
          && each.get(i).take(payload, now)) {
        each.get(i).due(now);
        return true;
      }
    }
    return false;
  }

  void due(long now) {
    for (int i = 0; i < each.size(); i++) {
      each.get(i).due(now);
    }
  }

  long dueAt() {
    long dueAt = Long.MAX_VALUE;
    for (int i = 0; i < each.size(); i++) {
      dueAt = Math.min(dueAt, each.get(i).dueAt());
    }
    return dueAt;
  }

  /** Tells whether the service is withdrawn for good. */
  boolean isOver() {
    return withdraws && each.stream().allMatch(Registrar::isOver);
  }
}
