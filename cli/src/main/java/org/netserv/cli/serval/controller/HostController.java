// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval.controller;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.endpoint.Health;
import org.netserv.serval.endpoint.Registrars;
import org.netserv.serval.endpoint.Router;
import org.netserv.serval.registration.RegistrationHost;
import org.netserv.serval.registration.RegistrationHost.State;
import org.netserv.serval.registration.RegistrationRefusal;

/**
 * Registers the services of a host with its routers, without I/O. It follows the offers of sald,
 * the address toward each router, and the health of the programs. One thread at a time. Times are
 * milliseconds that never go backwards.
 *
 * <pre>
 *   offered, well   -> registered at each router, refreshed
 *   sick            -> withdrawn, checked on
 *   offered no more -> withdrawn
 *   another address -> registered anew at that router
 * </pre>
 */
final class HostController {
  /** Milliseconds between two checks of a program. */
  static final long CHECK_MILLIS = 2_000;

  /** Makes the check of a service's program, null if there is nothing to check. */
  interface Checks {
    BooleanSupplier of(Offer offer);
  }

  /** A service that is offered. */
  private static final class Local {
    Offer offer;
    Registrars registrars; // null while it is sick
    Health health; // null if nothing is checked

    Local(Offer offer) {
      this.offer = offer;
    }
  }

  /** A registration as the log has it. */
  private record Place(ServicePrefix prefix, Router router) {}

  private final List<Router> routers;
  private final Checks checks;
  private final RandomGenerator random;
  private final Registrars.Port port;
  private final Consumer<String> log;
  private final Map<ServicePrefix, Local> services = new LinkedHashMap<>();
  private final List<Registrars> leaving = new ArrayList<>();
  private final Map<Router, Endpoint> own = new HashMap<>();
  private final Map<Place, String> told = new HashMap<>();

  /**
   * Makes a controller without services.
   *
   * @param routers each with a key
   * @param random cannot be guessed
   * @param port sends a message to a router
   * @param log takes a line for each change of a registration
   */
  HostController(
      List<Router> routers,
      Checks checks,
      RandomGenerator random,
      Registrars.Port port,
      Consumer<String> log) {
    this.routers = List.copyOf(routers);
    this.checks = checks;
    this.random = random;
    this.port = port;
    this.log = log;
  }

  /** Registers and withdraws services, so that routers know these. */
  void offers(Map<ServicePrefix, Offer> offers, long now) {
    Iterator<Local> each = services.values().iterator();
    while (each.hasNext()) {
      Local local = each.next();
      if (!offers.containsKey(local.offer.prefix())) {
        each.remove();
        withdraw(local, "it has ended or is drained", now);
      }
    }
    offers.values().forEach(offer -> offer(offer, now));
  }

  private void offer(Offer offer, long now) {
    Local local = services.computeIfAbsent(offer.prefix(), prefix -> new Local(offer));
    boolean fresh = local.registrars == null && local.health == null;
    if (fresh || !local.offer.target().equals(offer.target())) {
      BooleanSupplier check = checks.of(offer);
      local.health = check == null ? null : new Health(check, CHECK_MILLIS, now);
    }
    local.offer = offer;
    if (local.registrars != null) {
      local.registrars.weight(offer.weight(), now);
    } else if (fresh || local.health == null || local.health.isWell()) {
      register(local, now);
    }
  }

  private void register(Local local, long now) {
    ServicePrefix prefix = local.offer.prefix();
    leaving.removeIf(each -> each.withdraws(prefix));
    local.registrars = new Registrars(prefix, local.offer.weight(), routers, random, port);
    local.registrars.due(now);
  }

  private void withdraw(Local local, String why, long now) {
    if (local.registrars == null) {
      return;
    }
    log.accept(Texts.shortened(local.offer.prefix()) + ": withdrawn, " + why);
    told.keySet().removeIf(place -> place.prefix().equals(local.offer.prefix()));
    local.registrars.withdraw(now);
    leaving.add(local.registrars);
    local.registrars = null;
  }

  /** Withdraws everything, for the end of this process. */
  void close(long now) {
    services.values().forEach(local -> withdraw(local, "the controller ends", now));
    services.clear();
  }

  /** Notes the address from which messages to a router leave. A new one is registered anew. */
  void route(Endpoint router, Endpoint address, long now) {
    for (Router each : routers) {
      if (!each.address().equals(router)) {
        continue;
      }
      Endpoint old = own.put(each, address);
      if (old != null && !old.equals(address)) {
        log.accept(
            "%s: from %s on, in place of %s"
                .formatted(Texts.print(router), Texts.print(address), Texts.print(old)));
        moved(each, old, now);
      }
    }
  }

  private void moved(Router router, Endpoint old, long now) {
    for (Local local : services.values()) {
      if (local.registrars != null) {
        local.registrars.moved(router, old, now);
      }
    }
  }

  /**
   * Takes an answer of a router.
   *
   * @param service to which it is addressed
   * @return false if it was not expected or is not right
   */
  boolean heard(Endpoint from, ServiceId service, ByteBuffer bytes, long now) {
    for (Local local : services.values()) {
      Registrars registrars = local.registrars;
      if (registrars != null
          && local.offer.prefix().id().equals(service)
          && registrars.take(from, Router.PUBLISHED, bytes.duplicate(), now)) {
        routers.forEach(router -> tell(local, router));
        return true;
      }
    }
    return false;
  }

  /** Tells the log of a registration that is in another state now. */
  private void tell(Local local, Router router) {
    RegistrationHost host = local.registrars.at(router);
    String text = null;
    if (host.state() == State.REGISTERED) {
      text = "registered, weight " + local.offer.weight();
    } else if (host.refusal() != RegistrationRefusal.OK) {
      text = "refused: " + host.refusal() + ", " + host.refusal().text();
    }
    Place place = new Place(local.offer.prefix(), router);
    if (text != null && !text.equals(told.put(place, text))) {
      log.accept(
          Texts.shortened(place.prefix()) + " at " + Texts.print(router.address()) + ": " + text);
    }
  }

  /** Does all that is due. */
  void due(long now) {
    for (Local local : services.values()) {
      if (local.health != null && local.health.changes(now)) {
        judge(local, now);
      }
      if (local.registrars != null) {
        local.registrars.due(now);
      }
    }
    leaving.forEach(each -> each.due(now));
    leaving.removeIf(Registrars::isOver);
  }

  private void judge(Local local, long now) {
    if (local.health.isWell()) {
      register(local, now);
    } else {
      withdraw(local, "its check has failed " + Health.FALL + " times", now);
    }
  }

  /** Returns the time at which something is due, {@code Long.MAX_VALUE} if nothing is. */
  long dueAt() {
    long dueAt = Long.MAX_VALUE;
    for (Local local : services.values()) {
      if (local.health != null) {
        dueAt = Math.min(dueAt, local.health.dueAt());
      }
      if (local.registrars != null) {
        dueAt = Math.min(dueAt, local.registrars.dueAt());
      }
    }
    for (Registrars each : leaving) {
      dueAt = Math.min(dueAt, each.dueAt());
    }
    return dueAt;
  }
}
