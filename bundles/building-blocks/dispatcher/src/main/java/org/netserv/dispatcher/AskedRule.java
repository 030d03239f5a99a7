// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.util.function.Consumer;
import org.netserv.host.Ring;
import org.netserv.packet.ServiceRule;
import org.netserv.packet.ServiceRuleEntry;

/** A rule of a service router, from the question to its removal. */
final class AskedRule extends AskedPlace implements ServiceRule {
  private final RelayTable table;
  private final int place;
  private final ServiceRuleEntry entry;
  private final Consumer<AskedRule> removed;

  /**
   * @param removed told once
   */
  AskedRule(
      RelayTable table,
      int place,
      ServiceRuleEntry entry,
      int seconds,
      Consumer<AskedRule> removed) {
    super(table, place, Ring.SERVAL_REFUSALS);
    this.table = table;
    this.place = place;
    this.entry = entry;
    this.removed = removed;
    begin(table.ask(place, entry, seconds));
  }

  @Override
  int askAgain(int seconds) {
    return table.ask(place, entry, seconds);
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
    table.removeRule(place);
    return true;
  }
}
