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

/**
 * The registrations of one service, one with each router of a host, without I/O and timers of its
 * own. One thread at a time. Times are milliseconds that never go backwards.
 */
public final class Registrars {
  /** Sends the messages of a service to routers. */
  public interface Port {
    void send(ServicePrefix prefix, Router router, ByteBuffer message);
  }

  private final ServicePrefix prefix;
  private final List<Router> routers;
  private final List<Registrar> each = new ArrayList<>();
  private final List<RegistrationHost> signed = new ArrayList<>(); // null for the published stack's
  private boolean withdraws;

  /**
   * Makes the registrations of a service, which are due at once.
   *
   * @param weight 0 to 65,535
   * @param random cannot be guessed
   */
  public Registrars(
      ServicePrefix prefix, int weight, List<Router> routers, RandomGenerator random, Port port) {
    this.prefix = prefix;
    this.routers = routers;
    for (Router router : routers) {
      RegistrationHost host =
          router.key() == null
              ? null
              : new RegistrationHost(prefix, router.key(), weight, Registrar.LIFETIME, random);
      signed.add(host);
      each.add(new Registrar(prefix, host, message -> port.send(prefix, router, message)));
    }
  }

  /** Tells whether a service with these serviceIDs is being withdrawn. */
  public boolean withdraws(ServicePrefix other) {
    return withdraws && prefix.equals(other);
  }

  /** Registers the new address at all routers, in the place of the old one. */
  public void moved(Endpoint old, long now) {
    each.forEach(registrar -> registrar.moved(old, now));
  }

  /** Registers the new address toward one router, in the place of the old one. */
  public void moved(Router router, Endpoint old, long now) {
    each.get(routers.indexOf(router)).moved(old, now);
  }

  /** Asks all routers for another share among the instances of the service. */
  public void weight(int weight, long now) {
    each.forEach(registrar -> registrar.weight(weight, now));
  }

  /** Withdraws the service from all routers. */
  public void withdraw(long now) {
    withdraws = true;
    each.forEach(registrar -> registrar.withdraw(now));
  }

  /**
   * Takes an answer of the router that has this address and serviceID.
   *
   * @return false if the bytes are none
   */
  public boolean take(Endpoint source, ServiceId from, ByteBuffer payload, long now) {
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

  /** Sends the messages that are due. */
  public void due(long now) {
    for (int i = 0; i < each.size(); i++) {
      each.get(i).due(now);
    }
  }

  /** Returns the time of the next message, {@code Long.MAX_VALUE} if there is none. */
  public long dueAt() {
    long dueAt = Long.MAX_VALUE;
    for (int i = 0; i < each.size(); i++) {
      dueAt = Math.min(dueAt, each.get(i).dueAt());
    }
    return dueAt;
  }

  /** Returns the signed registration with a router, null if that one is not signed. */
  public RegistrationHost at(Router router) {
    return signed.get(routers.indexOf(router));
  }

  /** Tells whether the service is withdrawn for good. */
  public boolean isOver() {
    return withdraws && each.stream().allMatch(Registrar::isOver);
  }
}
