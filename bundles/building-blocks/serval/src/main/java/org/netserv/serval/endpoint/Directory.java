// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.registration.RegistrationHost;
import org.netserv.serval.table.Origin;
import org.netserv.serval.table.Rank;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.ServiceTable;
import org.netserv.serval.table.TableRefusal;
import org.netserv.serval.table.Target;

/** The services that an endpoint offers, and their registrations with the router. */
final class Directory {
  private static final Origin PROGRAM = new Origin(Origin.Kind.PROCESS, "endpoint");
  private static final Origin OPERATOR = new Origin(Origin.Kind.OPERATOR, "router");

  private final ServiceTable services;
  private final Router router;
  private final RandomGenerator random;
  private final BiConsumer<ServicePrefix, ByteBuffer> register;
  private final Map<Long, Binding> bindings = new HashMap<>();
  private final List<Registrar> registrars = new ArrayList<>();
  private long sockets;

  /**
   * Makes the directory of an endpoint without services.
   *
   * @param router null = none
   * @param register sends the message of a service to the router
   */
  Directory(
      ServiceTable services,
      Router router,
      RandomGenerator random,
      BiConsumer<ServicePrefix, ByteBuffer> register) {
    this.services = services;
    this.router = router;
    this.random = random;
    this.register = register;
  }

  /** Adds the rule by which all goes to the router that no other rule knows. */
  void route(long now) {
    Target target = Target.address(router.address());
    Rule all = rule(ServicePrefix.DEFAULT, RuleAction.FORWARD, target, OPERATOR);
    TableRefusal refusal = services.add(all, now);
    if (refusal != TableRefusal.OK) {
      throw new IllegalArgumentException("the router: " + refusal.text());
    }
  }

  private static Rule rule(ServicePrefix prefix, RuleAction action, Target target, Origin origin) {
    return new Rule(prefix, action, target, Rank.ZERO, 0, origin, Rule.FOREVER);
  }

  Binding bind(
      ServalEndpoint endpoint,
      ServicePrefix prefix,
      ServiceHandler handler,
      boolean registers,
      long now) {
    Rule rule = rule(prefix, RuleAction.DEMUX, Target.socket(++sockets), PROGRAM);
    TableRefusal refusal = services.add(rule, now);
    if (refusal != TableRefusal.OK) {
      throw new IllegalStateException(prefix + ": " + refusal.text());
    }
    Binding binding = new Binding(endpoint, rule, handler, registers ? registrar(prefix) : null);
    bindings.put(binding.socket(), binding);
    if (registers) {
      registrars.add(binding.registrar());
      binding.registrar().due(now);
    }
    return binding;
  }

  private Registrar registrar(ServicePrefix prefix) {
    RegistrationHost signed =
        router.key() == null
            ? null
            : new RegistrationHost(
                prefix, router.key(), Registrar.WEIGHT, Registrar.LIFETIME, random);
    return new Registrar(prefix, signed, message -> register.accept(prefix, message));
  }

  /**
   * Takes a datagram that is the router's answer to a registration.
   *
   * @return false if it is none
   */
  boolean isAnswer(Binding binding, Endpoint source, ServiceId from, ByteBuffer payload, long now) {
    if (binding.registrar() == null
        || !source.isSocketOf(router.address())
        || !router.id().equals(from)
        || !binding.registrar().take(payload, now)) {
      return false;
    }
    binding.registrar().due(now);
    return true;
  }

  /** Withdraws a service. False if it is withdrawn already. */
  boolean unbind(Binding binding, long now) {
    if (bindings.remove(binding.socket()) == null) {
      return false;
    }
    services.withdraw(binding.rule());
    if (binding.registrar() != null) {
      binding.registrar().withdraw(now);
    }
    return true;
  }

  /** Returns the binding of a socket, null if it is closed. */
  Binding of(long socket) {
    return bindings.get(socket);
  }

  List<Binding> all() {
    return List.copyOf(bindings.values());
  }

  /** Registers another address in the place of the old one. */
  void moved(Endpoint old, long now) {
    registrars.forEach(registrar -> registrar.moved(old, now));
  }

  void due(long now) {
    for (int i = registrars.size() - 1; i >= 0; i--) {
      registrars.get(i).due(now);
      if (registrars.get(i).isOver()) {
        registrars.remove(i);
      }
    }
  }

  long dueAt() {
    long dueAt = Long.MAX_VALUE;
    for (int i = 0; i < registrars.size(); i++) {
      dueAt = Math.min(dueAt, registrars.get(i).dueAt());
    }
    return dueAt;
  }
}
