// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.util.function.Consumer;
import org.netserv.host.Ring;
import org.netserv.packet.Relay;
import org.netserv.packet.RelayEntry;

/** One place of the table, from bind to unbind. */
final class BoundRelay implements Relay {
  private static final int MOST_SECONDS = 0xffff;
  private static final int BYTE = 0xff;
  private static final int FIELDS = 3;
  private static final int UNIT = Long.BYTES;

  private final RelayTable table;
  private final RelayEntry entry;
  private final Consumer<BoundRelay> unbound;
  private final int place;

  /** The numbers of the questions of this relay are these and all between. */
  private final int first;

  private volatile int last;
  private volatile boolean ended;

  /** The highest numbers seen: pktio clears its copies when it begins anew. */
  private final long[] seen = new long[2 * FIELDS];

  /**
   * @param unbound told once
   */
  BoundRelay(
      RelayTable table, int place, RelayEntry entry, int seconds, Consumer<BoundRelay> unbound) {
    this.table = table;
    this.place = place;
    this.entry = entry;
    this.unbound = unbound;
    this.first = table.ask(Ring.ASK_BIND, place, entry, seconds);
    this.last = first;
  }

  static void check(int seconds) {
    if (seconds < 1 || seconds > MOST_SECONDS) {
      throw new IllegalArgumentException("seconds: " + seconds);
    }
  }

  @Override
  public RelayEntry entry() {
    return entry;
  }

  /**
   * Returns the last answer to this relay, or 0 if there is none. An answer to a former relay of
   * the place has a number outside this relay's.
   */
  private long answer() {
    long answer = table.answer(place);
    return Integer.compareUnsigned((int) answer - first, last - first) <= 0 ? answer : 0;
  }

  @Override
  public State state() {
    if (ended) {
      return State.ENDED;
    }
    if (table.waits()) {
      table.flush();
    }
    long answer = answer();
    int state = (int) (answer >>> Ring.ANSWER_STATE) & BYTE;
    if (state == Ring.RELAY_ACTIVE) {
      return State.ACTIVE; // perhaps with a refresh under way
    }
    if (state == Ring.RELAY_FREE || (int) answer != last) {
      return State.ASKED;
    }
    return state == Ring.RELAY_REFUSED ? State.REFUSED : State.ENDED;
  }

  @Override
  public String refusal() {
    if (state() != State.REFUSED) {
      return "";
    }
    int refused = (int) (answer() >>> Ring.ANSWER_REFUSED) & BYTE;
    return refused < Ring.REFUSALS.size() ? Ring.REFUSALS.get(refused) : "";
  }

  @Override
  public synchronized void refresh(int seconds) {
    check(seconds);
    if (ended) {
      throw new IllegalStateException("unbound");
    }
    last = table.ask(Ring.ASK_REFRESH, place, entry, seconds);
  }

  @Override
  public void unbind() {
    if (end()) {
      unbound.accept(this);
    }
  }

  private synchronized boolean end() {
    if (ended) {
      return false;
    }
    for (int i = 0; i < seen.length; i++) {
      number(i); // the last look: the place may be another's from now on
    }
    ended = true;
    table.unbind(place);
    return true;
  }

  /** Returns a number of the record, by its index in {@link #seen}. */
  private long number(int index) {
    if (ended || answer() == 0) {
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
