// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import org.netserv.http.RequestHead;
import org.netserv.http.cache.Slice;

/** The parts of one response whose object is kept in slices. Missing slices are fetched. */
final class SliceParts implements Parts {
  private final CacheTools edge;
  private final Entry object;
  private final RequestHead request;
  private ComingSlice awaited; // null = none
  private Waiter recalling; // waits for the disk, null = none

  /**
   * Makes the parts.
   *
   * @param request of the client
   */
  SliceParts(CacheTools edge, Entry object, RequestHead request) {
    this.edge = edge;
    this.object = object;
    this.request = request;
  }

  @Override
  public Part find(long at, long to, Waiter waiter) {
    long index = object.slices.grid().index(at);
    Slice slice = object.slices.grid().slice(index, object.response.length());
    Part part = stored(slice);
    if (part == null && !recall(index, waiter)) {
      ComingSlice flow = flow(slice);
      part = flow.part();
      if (part == null) {
        flow.add(waiter);
        awaited = flow;
      }
    }
    if (part != null && slice.to() < to) {
      ahead(index + 1);
    }
    return part;
  }

  private Part stored(Slice slice) {
    Entry entry = object.slices.get(slice.index());
    if (entry == null || entry.isCold()) {
      return null;
    }
    edge.store.touch(entry);
    return new Part(entry.content, slice.from(), slice.to());
  }

  /** Has the disk read a slice. Returns false if it does not have it. */
  private boolean recall(long index, Waiter waiter) {
    Entry entry = object.slices.get(index);
    if (entry == null || !edge.store.recall(entry, () -> recalled(waiter))) {
      return false;
    }
    recalling = waiter;
    return true;
  }

  private void recalled(Waiter waiter) {
    if (recalling == waiter) {
      recalling = null;
      waiter.again();
    }
  }

  private ComingSlice flow(Slice slice) {
    ComingSlice flow = object.slices.coming(slice.index());
    return flow == null ? fetch(slice) : flow;
  }

  private ComingSlice fetch(Slice slice) {
    SliceFill fill = new SliceFill(edge, object, request, slice);
    fill.start();
    return fill.flow();
  }

  /** Fetches the slice that the client reads next, so that it need not wait for it. */
  private void ahead(long index) {
    boolean known = object.slices.get(index) != null || object.slices.coming(index) != null;
    if (!known && !object.slices.isRetired()) {
      fetch(object.slices.grid().slice(index, object.response.length()));
    }
  }

  @Override
  public void forget(Waiter waiter) {
    recalling = null;
    if (awaited != null) {
      awaited.forget(waiter);
      awaited = null;
    }
  }
}
