// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.util.concurrent.TimeUnit;
import org.netserv.packet.Relay;
import org.netserv.packet.RelayEntry;
import org.netserv.packet.Relays;

/** The relays of one bundle. They end with the bundle. */
final class BundleRelays extends OfBundle<BoundRelay> implements Relays {
  BundleRelays(RelayTable table) {
    super(table, BoundRelay::unbind);
  }

  @Override
  public String unavailable() {
    return table.unavailable();
  }

  @Override
  public Relay bind(RelayEntry entry, int seconds) {
    AskedPlace.check(seconds);
    return make(place -> new BoundRelay(table, place, entry, seconds, this::forget));
  }

  @Override
  public long nowMicros() {
    return TimeUnit.NANOSECONDS.toMicros(System.nanoTime());
  }
}
