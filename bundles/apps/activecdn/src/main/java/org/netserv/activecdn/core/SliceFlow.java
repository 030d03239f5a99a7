// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.util.ArrayList;
import java.util.List;
import org.netserv.http.cache.Slice;

/**
 * A slice on its way from the origin: its content once its head has come, and the readers that wait
 * for that. It goes into the store when it is whole.
 */
final class SliceFlow implements ComingSlice {
  private final CacheTools edge;
  private final Entry object;
  private final Slice slice;
  private final List<Parts.Waiter> waiters = new ArrayList<>(1);
  private Content content; // null before the head

  SliceFlow(CacheTools edge, Entry object, Slice slice) {
    this.edge = edge;
    this.object = object;
    this.slice = slice;
    object.slices.begin(this);
  }

  Slice slice() {
    return slice;
  }

  Content content() {
    return content;
  }

  @Override
  public void add(Parts.Waiter waiter) {
    waiters.add(waiter);
  }

  @Override
  public void forget(Parts.Waiter waiter) {
    waiters.remove(waiter);
  }

  @Override
  public long index() {
    return slice.index();
  }

  @Override
  public Part part() {
    return content == null ? null : new Part(content, slice.from(), slice.to());
  }

  /**
   * Begins the content.
   *
   * @param kept whether the store takes it; else it is the first waiter's alone
   */
  Content open(boolean kept) {
    content = new Content(edge.store, kept ? slice.length() : 0, slice.length());
    if (!kept) {
      object.slices.end(this);
    }
    return content;
  }

  /** Tells the waiters that the content is open. */
  void tell() {
    List<Parts.Waiter> all = List.copyOf(waiters);
    waiters.clear();
    Part part = part();
    boolean first = true;
    for (Parts.Waiter waiter : all) {
      if (first || content.isKept()) {
        waiter.ready(part);
      } else {
        waiter.again();
      }
      first = false;
    }
  }

  /** Adds bytes. Returns false if they are more than the slice has. */
  boolean add(byte[] bytes, int from, int to) {
    if (content.length() + to - from > slice.length()) {
      return false;
    }
    boolean kept = content.isKept();
    content.add(bytes, from, to);
    if (kept && !content.isKept()) {
      edge.count(Why.NOT_STORED_NO_ROOM);
      object.slices.end(this);
    }
    return true;
  }

  // ---- the slice by which the object was found

  /** Retires the object, unless the store has it. */
  void retire() {
    if (!object.isStored()) {
      object.slices.retire();
    }
  }

  /** Lets nobody join any more, because the content is not kept. */
  void loosen() {
    object.slices.end(this);
    retire();
  }

  /** Ends the slice that does not come. */
  void abort() {
    fail(false);
    retire();
  }

  boolean isWhole() {
    return content.length() == slice.length();
  }

  /** Puts the whole slice into the store, and returns whether it is there. */
  boolean put() {
    content.trim();
    boolean stored = content.isKept() && edge.store.put(new Entry(object, slice.index(), content));
    close();
    if (stored) {
      edge.count(Why.SLICE_STORED);
    }
    return stored;
  }

  /**
   * Ends a slice that does not come.
   *
   * @param changed whether the origin has another content now
   */
  void fail(boolean changed) {
    close();
    List<Parts.Waiter> all = List.copyOf(waiters);
    waiters.clear();
    all.forEach(waiter -> waiter.failed(changed));
  }

  private void close() {
    object.slices.end(this);
    if (object.isStored() && object.slices.isIdle()) {
      edge.store.remove(object);
    }
  }
}
