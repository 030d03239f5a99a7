// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.util.Arrays;

/**
 * Things in the order of their times, as a heap. Adding, moving and removing one takes time in
 * proportion to the logarithm of their number, and the path of packets does none of them.
 */
public final class Expiry<T extends Expiry.Due> {
  /** The place of a thing that is not in a heap. */
  public static final int NOWHERE = -1;

  private static final int FIRST_SIZE = 64;

  private Due[] heap = new Due[FIRST_SIZE];
  private int count;

  /** A thing with a time, which remembers its place in the heap. */
  public interface Due {
    /** Returns its time in nanoseconds; {@link Expiry#update} after a change. */
    long due();

    int place();

    void place(int at);
  }

  /** Adds a thing, or moves it to its new time. */
  public void update(T what) {
    if (what.place() == NOWHERE) {
      if (count == heap.length) {
        heap = Arrays.copyOf(heap, 2 * count);
      }
      put(count++, what);
    }
    int at = what.place();
    up(at);
    down(what.place());
  }

  public void remove(T what) {
    int at = what.place();
    if (at == NOWHERE) {
      return;
    }
    what.place(NOWHERE);
    Due last = heap[--count];
    heap[count] = null;
    if (at < count) {
      put(at, last);
      up(at);
      down(last.place());
    }
  }

  /** Removes and returns the earliest thing whose time has come, null = there is none. */
  @SuppressWarnings("unchecked") // only things of T are put in
  public T poll(long now) {
    if (count == 0 || heap[0].due() - now > 0) {
      return null;
    }
    T first = (T) heap[0];
    remove(first);
    return first;
  }

  /** Returns nanoseconds to the earliest time, {@link Long#MAX_VALUE} if there is none. */
  public long nanosLeft(long now) {
    return count == 0 ? Long.MAX_VALUE : Math.max(0, heap[0].due() - now);
  }

  public int count() {
    return count;
  }

  private void put(int at, Due what) {
    heap[at] = what;
    what.place(at);
  }

  private void up(int from) {
    int at = from;
    Due moving = heap[at];
    while (at > 0 && isBefore(moving, heap[(at - 1) / 2])) {
      put(at, heap[(at - 1) / 2]);
      at = (at - 1) / 2;
    }
    put(at, moving);
  }

  private void down(int from) {
    int at = from;
    Due moving = heap[at];
    while (true) {
      int child = 2 * at + 1;
      if (child + 1 < count && isBefore(heap[child + 1], heap[child])) {
        child++;
      }
      if (child >= count || !isBefore(heap[child], moving)) {
        break;
      }
      put(at, heap[child]);
      at = child;
    }
    put(at, moving);
  }

  private static boolean isBefore(Due one, Due other) {
    return one.due() - other.due() < 0;
  }
}
