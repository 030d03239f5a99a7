// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.netserv.packet.ServiceRule;
import org.netserv.packet.ServiceRuleEntry;
import org.netserv.packet.ServiceRules;

/** The rules of service routers that one bundle has asked for. They end with the bundle. */
final class BundleRules implements ServiceRules, OfBundle {
  private final RelayTable table;
  private final Set<AskedRule> asked = ConcurrentHashMap.newKeySet();

  BundleRules(RelayTable table) {
    this.table = table;
  }

  @Override
  public boolean available() {
    return unavailable().isEmpty();
  }

  @Override
  public String unavailable() {
    return table.rulesUnavailable();
  }

  @Override
  public int free() {
    return available() ? table.free() : 0;
  }

  @Override
  public ServiceRule ask(ServiceRuleEntry entry, int seconds) {
    AskedPlace.check(seconds);
    int place = available() ? table.take() : -1;
    if (place < 0) {
      return null;
    }
    AskedRule rule = new AskedRule(table, place, entry, seconds, asked::remove);
    asked.add(rule);
    return rule;
  }

  @Override
  public void close() {
    asked.forEach(AskedRule::remove);
  }
}
