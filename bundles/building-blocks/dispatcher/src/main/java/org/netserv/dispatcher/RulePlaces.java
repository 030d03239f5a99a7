// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.util.BitSet;
import org.netserv.host.Ring;

/**
 * The places of rules: each place of the table has room for {@link Ring#PLACE_RULES} rules. A place
 * is taken from the table with its first rule, and given back after its last one. The number of a
 * rule is that of its place and its own there. The table's lock guards it.
 */
final class RulePlaces {
  private final RelayTable table;
  private final BitSet free = new BitSet();
  private final byte[] used = new byte[Ring.RELAYS];
  private int next;

  RulePlaces(RelayTable table) {
    this.table = table;
  }

  static int place(int number) {
    return number / Ring.PLACE_RULES;
  }

  static int rule(int number) {
    return number % Ring.PLACE_RULES;
  }

  /** Returns how many rules have room. */
  int free() {
    return free.cardinality() + table.free() * Ring.PLACE_RULES;
  }

  /** Returns the number of a rule, or -1 if there is no room. The number freed last comes last. */
  int take() {
    int number = free.nextSetBit(next);
    if (number < 0) {
      number = free.nextSetBit(0);
    }
    if (number < 0) {
      int place = table.take();
      if (place < 0) {
        return -1;
      }
      number = place * Ring.PLACE_RULES;
      free.set(number, number + Ring.PLACE_RULES);
    }
    free.clear(number);
    used[place(number)]++;
    next = number + 1;
    return number;
  }

  /** Gives the room of a rule back. */
  void give(int number) {
    int place = place(number);
    free.set(number);
    used[place]--;
    if (used[place] == 0) {
      free.clear(place * Ring.PLACE_RULES, (place + 1) * Ring.PLACE_RULES);
      table.give(place);
    }
  }
}
