// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.util.function.Consumer;
import org.netserv.host.Ring;
import org.netserv.packet.Relay;
import org.netserv.packet.ServiceRule;
import org.netserv.packet.ServiceRuleEntry;

/** A rule of a service router, from the question to its removal. */
final class AskedRule extends AskedPlace implements ServiceRule {
  private final RelayTable table;
  private final int number;
  private final ServiceRuleEntry entry;
  private final Consumer<AskedRule> removed;

  /**
   * Asks for a rule.
   *
   * @param number of the rule, by {@link RulePlaces}
   * @param removed told once
   */
  AskedRule(
      RelayTable table,
      int number,
      ServiceRuleEntry entry,
      int seconds,
      Consumer<AskedRule> removed) {
    super(table, RulePlaces.place(number), Ring.SERVAL_REFUSALS);
    this.table = table;
    this.number = number;
    this.entry = entry;
    this.removed = removed;
    begin(table.ask(number, entry, seconds));
  }

  @Override
  int askAgain(int seconds) {
    return table.ask(number, entry, seconds);
  }

  @Override
  public Relay.State state() {
    if (isOver()) {
      return Relay.State.ENDED;
    }
    if (table.waits()) {
      table.flush();
    }
    int answered = (int) table.answer(RulePlaces.place(number)); // other rules' questions, too
    if (answered - first() >= 0 && table.isActive(number)) {
      return Relay.State.ACTIVE; // perhaps with a refresh under way
    }
    if (answered - last() < 0) {
      return Relay.State.ASKED;
    }
    return table.refused(number) == 0 ? Relay.State.ENDED : Relay.State.REFUSED;
  }

  @Override
  public String refusal() {
    return state() == Relay.State.REFUSED ? Ring.SERVAL_REFUSALS.get(table.refused(number)) : "";
  }

  @Override
  public ServiceRuleEntry entry() {
    return entry;
  }

  @Override
  public void remove() {
    if (end()) {
      removed.accept(this);
    }
  }

  private synchronized boolean end() {
    if (isOver()) {
      return false;
    }
    over();
    table.removeRule(number);
    return true;
  }
}
