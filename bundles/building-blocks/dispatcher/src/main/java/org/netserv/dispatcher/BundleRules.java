// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import org.netserv.packet.ServiceRule;
import org.netserv.packet.ServiceRuleEntry;
import org.netserv.packet.ServiceRules;

/** The rules of service routers that one bundle has asked for. They end with the bundle. */
final class BundleRules extends OfBundle<AskedRule> implements ServiceRules {
  BundleRules(RelayTable table) {
    super(table, AskedRule::remove);
  }

  @Override
  public String unavailable() {
    return table.rulesUnavailable();
  }

  @Override
  public ServiceRule ask(ServiceRuleEntry entry, int seconds) {
    AskedPlace.check(seconds);
    int number = available() ? table.takeRule() : -1;
    return number < 0 ? null : keep(new AskedRule(table, number, entry, seconds, this::forget));
  }

  @Override
  public int free() {
    return available() ? table.freeRules() : 0;
  }
}
