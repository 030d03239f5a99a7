// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.util.function.Consumer;
import org.netserv.host.Ring;
import org.netserv.packet.Relay;
import org.netserv.packet.RelayEntry;

/** A relay, from bind to unbind. */
final class BoundRelay extends AskedPlace implements Relay {
  private static final int FIELDS = 3;
  private static final int UNIT = Long.BYTES;

  private final RelayTable table;
  private final RelayEntry entry;
  private final Consumer<BoundRelay> unbound;
  private final int place;

  /** The highest numbers seen: pktio clears its copies when it begins anew. */
  private final long[] seen = new long[2 * FIELDS];

  /**
   * @param unbound told once
   */
  BoundRelay(
      RelayTable table, int place, RelayEntry entry, int seconds, Consumer<BoundRelay> unbound) {
    super(table, place, Ring.REFUSALS);
    this.table = table;
    this.place = place;
    this.entry = entry;
    this.unbound = unbound;
    begin(table.ask(Ring.ASK_BIND, place, entry, seconds));
  }

  @Override
  int askAgain(int seconds) {
    return table.ask(Ring.ASK_REFRESH, place, entry, seconds);
  }

  @Override
  public RelayEntry entry() {
    return entry;
  }

  @Override
  public void unbind() {
    if (end()) {
      unbound.accept(this);
    }
  }

  private synchronized boolean end() {
    if (isOver()) {
      return false;
    }
    for (int i = 0; i < seen.length; i++) {
      number(i); // the last look: the place may be another's from now on
    }
    over();
    table.unbind(place);
    return true;
  }

  /** Returns a number of the record, by its index in {@link #seen}. */
  private long number(int index) {
    if (isOver() || answer() == 0) {
      return seen[index];
    }
    int way = index < FIELDS ? Ring.RELAY_TO_PEER : Ring.RELAY_TO_CLIENT;
    long now = table.count(place, way, index % FIELDS * UNIT);
    if (now > seen[index]) {
      seen[index] = now;
    }
    return seen[index];
  }

  @Override
  public long packetsToPeer() {
    return number(0);
  }

  @Override
  public long bytesToPeer() {
    return number(1);
  }

  @Override
  public long lastToPeerMicros() {
    return number(2);
  }

  @Override
  public long packetsToClient() {
    return number(FIELDS);
  }

  @Override
  public long bytesToClient() {
    return number(FIELDS + 1);
  }

  @Override
  public long lastToClientMicros() {
    return number(FIELDS + 2);
  }
}
