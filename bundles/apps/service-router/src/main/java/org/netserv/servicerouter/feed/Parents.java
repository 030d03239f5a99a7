// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.feed;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.netserv.packet.Tally;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.endpoint.Router;
import org.netserv.serval.registration.Registrar;
import org.netserv.serval.registration.RegistrationHost;
import org.netserv.servicerouter.core.Announcements;
import org.netserv.servicerouter.core.Feeder;
import org.netserv.servicerouter.core.Outcome;
import org.netserv.servicerouter.core.Routing;

/**
 * Registers the prefixes of this router at its parents, as a host registers its services. A parent
 * hears of no prefix that leads to the parent alone.
 */
public final class Parents implements Feeder {
  private record Parent(Router router, Map<ServicePrefix, Registrar> registrars) {}

  private final Routing routing;
  private final RandomGenerator random;
  private final Tally<Outcome> tally;
  private final List<Parent> parents = new ArrayList<>();

  /**
   * Makes the registrations of a router that has no rules yet.
   *
   * @param random cannot be guessed
   */
  public Parents(
      List<Router> parents, Routing routing, RandomGenerator random, Tally<Outcome> tally) {
    this.routing = routing;
    this.random = random;
    this.tally = tally;
    parents.forEach(router -> this.parents.add(new Parent(router, new HashMap<>())));
  }

  @Override
  public void announced(Announcements announcements, long now) {
    for (Parent parent : parents) {
      announce(parent, announcements.toward(parent.router().address(), now), now);
    }
  }

  private void announce(Parent parent, Map<ServicePrefix, Integer> wanted, long now) {
    parent
        .registrars()
        .forEach(
            (prefix, registrar) -> {
              if (!wanted.containsKey(prefix) && !registrar.withdraws()) {
                registrar.withdraw(now);
              }
            });
    wanted.forEach(
        (prefix, weight) -> {
          Registrar there = parent.registrars().get(prefix);
          if (there == null || there.withdraws()) {
            Registrar made = registrar(parent.router(), prefix, weight);
            parent.registrars().put(prefix, made);
            made.due(now);
          } else {
            there.weight(weight, now);
          }
        });
  }

  private Registrar registrar(Router parent, ServicePrefix prefix, int weight) {
    RegistrationHost signed =
        parent.key() == null
            ? null
            : new RegistrationHost(prefix, parent.key(), weight, Registrar.LIFETIME, random);
    return new Registrar(
        prefix, signed, message -> routing.send(parent.id(), parent.address(), message));
  }

  @Override
  public boolean take(Payload payload, long now) {
    for (Parent parent : parents) {
      boolean from =
          parent.router().address().isSocketOf(payload.sender())
              && parent.router().id().equals(payload.from());
      if (from && isAnswer(parent, payload, now)) {
        tally.count(Outcome.PARENT_ANSWER);
        return true;
      }
    }
    return false;
  }

  private static boolean isAnswer(Parent parent, Payload payload, long now) {
    ByteBuffer bytes = payload.bytes().duplicate();
    bytes.limit(payload.stop()).position(payload.first());
    for (Registrar registrar : parent.registrars().values()) {
      if (registrar.take(bytes, now)) {
        registrar.due(now);
        return true;
      }
    }
    return false;
  }

  @Override
  public void tick(long now) {
    for (Parent parent : parents) {
      parent.registrars().values().forEach(registrar -> registrar.due(now));
      parent.registrars().values().removeIf(Registrar::isOver);
    }
  }

  @Override
  public void end(boolean forGood, long now) {
    if (forGood) {
      parents.forEach(parent -> announce(parent, Map.of(), now));
    }
  }
}
