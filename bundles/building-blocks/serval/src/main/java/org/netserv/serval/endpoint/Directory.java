// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.table.Origin;
import org.netserv.serval.table.Rank;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.ServiceTable;
import org.netserv.serval.table.TableRefusal;
import org.netserv.serval.table.Target;

/** The services that an endpoint offers, and their registrations with routers. */
final class Directory {
  private static final Origin PROGRAM = new Origin(Origin.Kind.PROCESS, "endpoint");
  private static final Origin OPERATOR = new Origin(Origin.Kind.OPERATOR, "router");

  private final ServiceTable services;
  private final List<Router> routers;
  private final RandomGenerator random;
  private final Registrars.Port register;
  private final Map<Long, Binding> bindings = new HashMap<>();
  private final List<Registrars> registrars = new ArrayList<>();
  private final List<Binding> checked = new ArrayList<>(); // whose health the program checks
  private long sockets;

  /**
   * Makes the directory of an endpoint without services.
   *
   * @param register sends the message of a service to a router
   */
  Directory(
      ServiceTable services,
      List<Router> routers,
      RandomGenerator random,
      Registrars.Port register) {
    this.services = services;
    this.routers = routers;
    this.random = random;
    this.register = register;
  }

  /** Adds the rules by which all goes to one of the routers that no other rule knows. */
  void route(long now) {
    for (Router router : routers) {
      Target target = Target.address(router.address());
      Rule all = rule(ServicePrefix.DEFAULT, RuleAction.FORWARD, target, OPERATOR);
      TableRefusal refusal = services.add(all, now);
      if (refusal != TableRefusal.OK) {
        throw new IllegalArgumentException("the router: " + refusal.text());
      }
    }
  }

  /** Tells whether an address is the socket of a router of this endpoint. */
  boolean isRouter(Endpoint sender) {
    for (int i = 0; i < routers.size(); i++) {
      if (routers.get(i).address().isSocketOf(sender)) {
        return true;
      }
    }
    return false;
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
    Binding binding = new Binding(endpoint, this, rule, handler);
    bindings.put(binding.socket(), binding);
    if (registers && !routers.isEmpty()) {
      register(binding, now);
    }
    return binding;
  }

  /** Registers a service, and ends what is left of an earlier withdrawal. */
  private void register(Binding binding, long now) {
    registrars.removeIf(each -> each.withdraws(binding.prefix()));
    Registrars made = new Registrars(binding.prefix(), binding.weight(), routers, random, register);
    registrars.add(made);
    binding.registrars(made);
    made.due(now);
  }

  /** Withdraws a service from the routers. It goes on here. */
  void drain(Binding binding, long now) {
    if (binding.registrars() != null && !binding.registrars().withdraws(binding.prefix())) {
      binding.registrars().withdraw(now);
    }
  }

  /** Registers a service again that is drained. */
  void resume(Binding binding, long now) {
    boolean there = bindings.containsKey(binding.socket()) && binding.registrars() != null;
    if (there && binding.registrars().withdraws(binding.prefix())) {
      register(binding, now);
    }
  }

  /**
   * Takes a datagram that is a router's answer to a registration.
   *
   * @return false if it is none
   */
  boolean isAnswer(Binding binding, Endpoint source, ServiceId from, ByteBuffer payload, long now) {
    return binding.registrars() != null && binding.registrars().take(source, from, payload, now);
  }

  /** Withdraws a service. False if it is withdrawn already. */
  boolean unbind(Binding binding, long now) {
    if (bindings.remove(binding.socket()) == null) {
      return false;
    }
    services.withdraw(binding.rule());
    checked.remove(binding);
    drain(binding, now);
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

  /** Has the health of a service checked from now on. */
  void check(Binding binding) {
    if (of(binding.socket()) == binding && !checked.contains(binding)) {
      checked.add(binding);
    }
  }

  void due(long now) {
    for (int i = registrars.size() - 1; i >= 0; i--) {
      registrars.get(i).due(now);
      if (registrars.get(i).isOver()) {
        registrars.remove(i);
      }
    }
    for (int i = 0; i < checked.size(); i++) {
      judge(checked.get(i), now);
    }
  }

  private void judge(Binding binding, long now) {
    if (!binding.health().changes(now)) {
      return;
    }
    if (binding.health().isWell()) {
      resume(binding, now);
    } else {
      drain(binding, now);
    }
  }

  long dueAt() {
    long dueAt = Long.MAX_VALUE;
    for (int i = 0; i < registrars.size(); i++) {
      dueAt = Math.min(dueAt, registrars.get(i).dueAt());
    }
    for (int i = 0; i < checked.size(); i++) {
      dueAt = Math.min(dueAt, checked.get(i).health().dueAt());
    }
    return dueAt;
  }
}
