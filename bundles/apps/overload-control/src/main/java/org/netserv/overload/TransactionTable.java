// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import org.netserv.overload.TransactionMachine.State;

/**
 * The transactions that the edge remembers, by their keys. Open addressing in arrays that are made
 * once, with eight places per bucket. Time is a count of milliseconds that may wrap.
 *
 * <p>A transaction that no message has touched for {@link #LIFE} is forgotten. A new one in a full
 * bucket takes the place of the one that was not touched for longest. A forgotten request that is
 * repeated counts as new, so a flood of forged branches costs memory of the past, never an answer.
 */
final class TransactionTable {
  /** 64*T1 in milliseconds, after which nobody repeats a message (RFC 3261, 17). */
  static final int LIFE = 32_000;

  /** Milliseconds after which an admitted request without a response is not in flight any more. */
  static final int FLIGHT = 4_000;

  private static final int WAYS = 8;
  private static final State[] STATES = State.values();

  private final int mask;
  private final long[] keys; // 0 = free
  private final byte[] states;
  private final int[] touched;
  private final int[] admitted;
  private final boolean[] flying;
  private final boolean[] marked;
  private int inFlight;
  private int sweep;
  private long replaced;

  /**
   * Makes an empty table.
   *
   * @param places a power of two, at least 8
   */
  TransactionTable(int places) {
    mask = places - 1;
    keys = new long[places];
    states = new byte[places];
    touched = new int[places];
    admitted = new int[places];
    flying = new boolean[places];
    marked = new boolean[places];
  }

  int places() {
    return mask + 1;
  }

  /** Returns the place of a transaction, or -1. It holds until the next {@link #add}. */
  int find(long key, int now) {
    int first = bucket(key);
    for (int i = first; i < first + WAYS; i++) {
      if (keys[i] == key) {
        if (now - touched[i] > LIFE) {
          free(i);
          return -1;
        }
        return i;
      }
    }
    return -1;
  }

  /** Enters a transaction that is not in the table, and returns its place. */
  int add(long key, State state, int now) {
    int first = bucket(key);
    int best = first;
    for (int i = first; i < first + WAYS && keys[best] != 0; i++) {
      if (keys[i] == 0 || now - touched[i] > now - touched[best]) {
        best = i;
      }
    }
    if (keys[best] != 0) {
      replaced += now - touched[best] > LIFE ? 0 : 1;
      free(best);
    }
    keys[best] = key;
    touched[best] = now;
    admitted[best] = now;
    set(best, state);
    return best;
  }

  private int bucket(long key) {
    return (int) ((key * 0x9e3779b97f4a7c15L) >>> 33) & mask & -WAYS;
  }

  private void free(int at) {
    land(at);
    keys[at] = 0;
    states[at] = 0;
    marked[at] = false;
  }

  private void land(int at) {
    inFlight -= flying[at] ? 1 : 0;
    flying[at] = false;
  }

  State state(int at) {
    return STATES[states[at]];
  }

  /** Moves a transaction to a state. An admitted one is in flight until its first response. */
  @SuppressWarnings("EnumOrdinal") // a byte of this table that no file keeps
  void set(int at, State state) {
    land(at);
    states[at] = (byte) state.ordinal();
    flying[at] = state == State.ADMITTED;
    inFlight += flying[at] ? 1 : 0;
  }

  void touch(int at, int now) {
    touched[at] = now;
  }

  /** Returns the milliseconds since the request was admitted. */
  int age(int at, int now) {
    return now - admitted[at];
  }

  /** Remembers that the request got our Via parameters. */
  void mark(int at) {
    marked[at] = true;
  }

  boolean isMarked(int at) {
    return marked[at];
  }

  /** Returns the number of admitted requests without a response. */
  int inFlight() {
    return inFlight;
  }

  /** Returns the number of transactions that lost their place within their lifetime. */
  long replaced() {
    return replaced;
  }

  /** Looks at so many places in turn, and lets go of all that is too old. */
  void sweep(int count, int now) {
    for (int i = 0; i < count; i++) {
      sweep = sweep + 1 & mask;
      if (keys[sweep] != 0 && now - touched[sweep] > LIFE) {
        free(sweep);
      } else if (flying[sweep] && now - admitted[sweep] > FLIGHT) {
        land(sweep);
      }
    }
  }
}
