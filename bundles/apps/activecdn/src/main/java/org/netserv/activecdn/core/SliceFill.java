// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.util.Arrays;
import org.netserv.http.Body;
import org.netserv.http.HeadWriter;
import org.netserv.http.HttpMethod;
import org.netserv.http.RequestHead;
import org.netserv.http.ResponseHead;
import org.netserv.http.cache.ContentRange;
import org.netserv.http.cache.Forwarding;
import org.netserv.http.cache.Slice;
import org.netserv.http.cache.SliceVerdict;
import org.netserv.http.cache.StoredResponse;
import org.netserv.http.cache.Validation;

/**
 * A request to the origin for one slice of an object that has others, and its response.
 *
 * <pre>
 *   start --> head --> content* --> end      the slice is stored
 *               |          `-----> failed    readers are cut
 *               `--> of another content: the object is dropped, with all its slices
 * </pre>
 *
 * If-Range has the strong validator of the object, and the response is checked against it. The
 * fetch goes on when its readers leave, because it is short.
 */
final class SliceFill implements Origin.Sink {
  private final CacheTools edge;
  private final Entry object;
  private final RequestHead request;
  private final SliceFlow flow;
  private final ContentRange range = new ContentRange();
  private Origin.Call call;
  private Intake intake; // null before the head
  private long requestTime;
  private boolean over;

  /**
   * Prepares a fetch.
   *
   * @param from the request that needs the slice; copied
   */
  SliceFill(CacheTools edge, Entry object, RequestHead from, Slice slice) {
    this.edge = edge;
    this.object = object;
    request = edge.copy(from);
    flow = new SliceFlow(edge, object, slice);
  }

  SliceFlow flow() {
    return flow;
  }

  /** Asks the origin. */
  void start() {
    requestTime = edge.time.wall();
    edge.count(Why.FETCH_SLICE);
    HeadWriter out = edge.out;
    Forwarding.write(
        out, request, Forwarding.Purpose.FILL, edge.settings.via(), ForwardedLines::ofMany);
    flow.slice().write(out);
    Validation.writeIfRange(out, object.response);
    out.end();
    byte[] head = Arrays.copyOf(out.bytes(), out.length());
    call = edge.origin.ask(new Origin.Question(head, HttpMethod.GET, Body.NONE, true), this);
  }

  @Override
  public void interim(ResponseHead response) {
    // It is for nobody: the clients have their heads already.
  }

  @Override
  public void writable() {
    // The request has no content.
  }

  @Override
  public void head(ResponseHead response, Body framing) {
    long now = edge.time.wall();
    switch (SliceVerdict.next(flow.slice(), object.response, response, range, now)) {
      case SLICE, ALL -> accept(response, framing, now);
      case CHANGED -> drop(Why.SLICES_CHANGED);
      case OTHER_STATUS -> {
        edge.count(Why.SLICE_FAILED);
        giveUp(false);
      }
      default -> {
        edge.marks.mark(object.key, edge.time.ticks());
        drop(Why.SLICES_REFUSED);
      }
    }
  }

  private void accept(ResponseHead response, Body framing, long now) {
    boolean kept = !object.slices.isRetired() && isStorable(response, framing, now);
    Content content = flow.open(kept);
    intake = new Intake(content, call, framing, flow.slice().length(), this::abandon);
    flow.tell();
    intake.settle();
  }

  /** Decides about the store, and updates the object's head (RFC 9111, 3.4). */
  private boolean isStorable(ResponseHead response, Body framing, long now) {
    if (edge.admission.againstSlice(request, response, framing, now) != null) {
      edge.count(Why.NOT_STORED);
      return false;
    }
    StoredResponse updated =
        edge.freshener.combine(object.response, new Freshener.Reply(response, requestTime, now));
    if (updated == null) {
      edge.count(Why.NOT_STORED);
      return false;
    }
    edge.store.combine(object, updated);
    return true;
  }

  /** Drops the object, of which the origin has another content, or answers that cannot be. */
  private void drop(Why why) {
    edge.store.drop(object, why);
    giveUp(true);
  }

  private void giveUp(boolean changed) {
    over = true;
    call.cancel();
    flow.fail(changed);
  }

  /** Ends a fetch that nobody reads and the store does not keep. */
  private void abandon() {
    over = true;
    edge.count(Why.FETCH_ABANDONED);
    call.cancel();
    intake.drop();
    flow.fail(false);
  }

  @Override
  public void content(byte[] bytes, int from, int to) {
    if (over) {
      return;
    }
    if (!flow.add(bytes, from, to)) {
      call.cancel();
      failed(Why.ORIGIN_EXCESS);
      return;
    }
    intake.settle();
  }

  @Override
  public void end() {
    if (over) {
      return;
    }
    if (!flow.isWhole()) {
      failed(Why.ORIGIN_CUT);
      return;
    }
    over = true;
    intake.finish(flow.put());
  }

  @Override
  public void failed(Why reason) {
    if (over) {
      return;
    }
    over = true;
    edge.count(reason);
    if (intake != null) {
      intake.fail();
    }
    flow.fail(false);
  }
}
