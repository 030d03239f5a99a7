// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.util.Arrays;

/**
 * The streams in the order in which they are due: a binary heap. Each stream knows its place, so
 * that another time of it takes a few steps. Nothing is allocated but for more streams than before.
 */
final class StreamTimes {
  /** The place of a stream that is not in the heap. */
  static final int NOWHERE = -1;

  private ServalStream[] heap = new ServalStream[16];
  private int size;

  /** Returns the earliest time, {@code Long.MAX_VALUE} without streams. */
  long dueAt() {
    return size == 0 ? Long.MAX_VALUE : heap[0].dueAt();
  }

  /** Returns a stream of the earliest time. There is one. */
  ServalStream first() {
    return heap[0];
  }

  /** Gives a stream another time. {@code Long.MAX_VALUE} takes it out. */
  void set(ServalStream stream, long dueAt) {
    stream.dueAt(dueAt);
    if (dueAt == Long.MAX_VALUE) {
      remove(stream);
      return;
    }
    if (stream.place() == NOWHERE) {
      if (size == heap.length) {
        heap = Arrays.copyOf(heap, 2 * size);
      }
      put(stream, size++);
    }
    sink(stream, rise(stream));
  }

  private void remove(ServalStream stream) {
    int place = stream.place();
    if (place == NOWHERE) {
      return;
    }
    stream.place(NOWHERE);
    ServalStream last = heap[--size];
    heap[size] = null;
    if (last != stream) {
      put(last, place);
      sink(last, rise(last));
    }
  }

  /** Returns the place to which a stream has come. */
  private int rise(ServalStream stream) {
    int place = stream.place();
    while (place > 0 && stream.dueAt() < heap[(place - 1) / 2].dueAt()) {
      put(heap[(place - 1) / 2], place);
      place = (place - 1) / 2;
    }
    put(stream, place);
    return place;
  }

  private void sink(ServalStream stream, int from) {
    int place = from;
    for (int child = 2 * place + 1; child < size; child = 2 * place + 1) {
      if (child + 1 < size && heap[child + 1].dueAt() < heap[child].dueAt()) {
        child++;
      }
      if (stream.dueAt() <= heap[child].dueAt()) {
        break;
      }
      put(heap[child], place);
      place = child;
    }
    put(stream, place);
  }

  private void put(ServalStream stream, int place) {
    heap[place] = stream;
    stream.place(place);
  }

  int size() {
    return size;
  }
}
