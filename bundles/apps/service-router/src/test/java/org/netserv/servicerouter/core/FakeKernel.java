// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.netserv.packet.Relay;
import org.netserv.packet.ServiceRule;
import org.netserv.packet.ServiceRuleEntry;
import org.netserv.packet.ServiceRules;

/** The kernel's rules as a module sees them. It takes all that is not refused. */
final class FakeKernel implements ServiceRules {
  /** Rules that are there, in the order in which they came. */
  final List<Taken> rules = new ArrayList<>();

  /** Reasons for refusals, by the kind of the rule or by its target's port. */
  final Map<Object, String> refusals = new HashMap<>();

  /** The events, one word for each rule with its kind, its bits and its port. */
  final List<String> events = new ArrayList<>();

  int places = 100;
  boolean available = true;

  /** A rule. */
  final class Taken implements ServiceRule {
    private final ServiceRuleEntry entry;
    int seconds;
    Relay.State state = Relay.State.ACTIVE;

    private Taken(ServiceRuleEntry entry, int seconds) {
      this.entry = entry;
      this.seconds = seconds;
    }

    @Override
    public ServiceRuleEntry entry() {
      return entry;
    }

    @Override
    public Relay.State state() {
      return refusal().isEmpty() ? state : Relay.State.REFUSED;
    }

    @Override
    public String refusal() {
      Object target = entry.target() == null ? null : entry.target().getPort();
      return refusals.getOrDefault(entry.kind(), refusals.getOrDefault(target, ""));
    }

    @Override
    public void refresh(int until) {
      seconds = until;
      state = Relay.State.ACTIVE;
      events.add("~" + words());
    }

    @Override
    public void remove() {
      rules.remove(this);
      events.add("-" + words());
    }

    String words() {
      String port = entry.target() == null ? "" : ":" + entry.target().getPort();
      return entry.kind().toString().toLowerCase(java.util.Locale.ROOT) + entry.bits() + port;
    }
  }

  /** Returns the events since the last call. */
  List<String> news() {
    List<String> news = List.copyOf(events);
    events.clear();
    return news;
  }

  /** Returns the rules that are there, in words. */
  List<String> words() {
    return rules.stream().map(Taken::words).toList();
  }

  @Override
  public boolean available() {
    return available;
  }

  @Override
  public String unavailable() {
    return available ? "" : "none";
  }

  @Override
  public int free() {
    return places - rules.size();
  }

  @Override
  public ServiceRule ask(ServiceRuleEntry entry, int seconds) {
    if (free() == 0) {
      return null;
    }
    Taken rule = new Taken(entry, seconds);
    rules.add(rule);
    events.add("+" + rule.words());
    return rule;
  }
}
