// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.netserv.packet.Relay;
import org.netserv.packet.RelayEntry;
import org.netserv.packet.Relays;

/** The relays of one bundle. They end with the bundle. */
final class BundleRelays implements Relays, OfBundle {
  private final RelayTable table;
  private final Set<BoundRelay> bound = ConcurrentHashMap.newKeySet();

  BundleRelays(RelayTable table) {
    this.table = table;
  }

  @Override
  public boolean available() {
    return table.unavailable().isEmpty();
  }

  @Override
  public String unavailable() {
    return table.unavailable();
  }

  @Override
  public int free() {
    return available() ? table.free() : 0;
  }

  @Override
  public Relay bind(RelayEntry entry, int seconds) {
    AskedPlace.check(seconds);
    int place = available() ? table.take() : -1;
    if (place < 0) {
      return null;
    }
    BoundRelay relay = new BoundRelay(table, place, entry, seconds, bound::remove);
    bound.add(relay);
    return relay;
  }

  @Override
  public long nowMicros() {
    return TimeUnit.NANOSECONDS.toMicros(System.nanoTime());
  }

  @Override
  public void close() {
    bound.forEach(BoundRelay::unbind);
  }
}
