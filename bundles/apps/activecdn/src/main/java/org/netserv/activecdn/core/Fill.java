// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.netserv.http.Body;
import org.netserv.http.Field;
import org.netserv.http.HeadWriter;
import org.netserv.http.HttpMethod;
import org.netserv.http.RequestHead;
import org.netserv.http.ResponseHead;
import org.netserv.http.cache.CacheStatus;
import org.netserv.http.cache.Forwarding;
import org.netserv.http.cache.Invalidation;
import org.netserv.http.cache.Slice;
import org.netserv.http.cache.SliceGrid;
import org.netserv.http.cache.StaleOnError;
import org.netserv.http.cache.Validation;

/**
 * A request to the origin and its response, on the way into the store and to all who ask for it.
 *
 * <pre>
 *   start --> head --> content* --> end        stored, if nothing forbids it
 *      |        |          |
 *      |        |          +--> failed         readers are cut, nothing is stored
 *      |        +--> 304: the stored response is freshened
 *      |        +--> 206: the first slice of an object, as it was asked for
 *      +--> failed: a stale response, or an error
 * </pre>
 *
 * The first exchange leads. Others wait for the head and then read the same content, also when the
 * leader has left. A fetch whose response cannot be stored goes on for its leader alone.
 */
final class Fill implements Origin.Sink {
  private static final byte[] FORWARDED_FOR = "X-Forwarded-For".getBytes(StandardCharsets.US_ASCII);

  final Key key;

  private final Edge edge;
  private final RequestHead request;
  private final FillKind kind;
  private final Forwarding.Purpose purpose;
  private final Entry validating; // null = none
  private final CacheStatus.Forward why;
  private final Audience audience;
  private final EntryMaker maker;
  private Origin.Call call;
  private long requestTime;
  private Entry entry; // null = the response is not stored
  private Content content; // null before the head
  private Intake intake; // null before the head
  private long expected = -1; // bytes that a slice has
  private Slice slice; // that the origin is asked for, null = the whole
  private SliceFlow flow; // null = the response is no slice
  private boolean contentSent; // of the request
  private boolean doomed;
  private boolean over;

  /**
   * Prepares a fetch.
   *
   * @param key kept
   * @param from is copied, because the fetch may outlive the request
   * @param validating the stored response that the origin may confirm, or null
   * @param why the reason for Cache-Status
   */
  Fill(
      Edge edge,
      Key key,
      RequestHead from,
      FillKind kind,
      Entry validating,
      CacheStatus.Forward why) {
    this.edge = edge;
    this.key = key;
    this.request = edge.copy(from);
    this.kind = kind;
    this.purpose = validating == null ? kind.purpose : Forwarding.Purpose.FILL;
    this.validating = validating;
    this.why = why;
    audience = new Audience(edge, why);
    maker = new EntryMaker(edge, key, request);
  }

  /**
   * Asks the origin.
   *
   * @param first the exchange that leads, or null
   */
  void start(Exchange first) {
    audience.lead(first);
    requestTime = edge.time.wall();
    edge.count(kind.why());
    HeadWriter out = edge.out;
    boolean many = purpose == Forwarding.Purpose.FILL;
    Forwarding.Lines lines = many ? ForwardedLines::ofMany : ForwardedLines::ofOne;
    Forwarding.write(out, request, purpose, edge.settings.via(), lines);
    if (validating != null) {
      Validation.write(out, List.of(validating.response));
    }
    slice = slice();
    if (slice != null) {
      slice.write(out);
    }
    if (!many && first != null) {
      out.field(FORWARDED_FOR, first.address().getBytes(StandardCharsets.US_ASCII));
    }
    out.end();
    Body framing = Body.of(request);
    boolean repeatable = request.method().isSafe() && framing == Body.NONE;
    contentSent = framing == Body.NONE;
    edge.addFill(this, kind.isShared());
    byte[] head = Arrays.copyOf(out.bytes(), out.length());
    call = edge.origin.ask(new Origin.Question(head, request.method(), framing, repeatable), this);
  }

  /** Chooses the slice to ask for, or null for the whole response. */
  private Slice slice() {
    SliceGrid grid = edge.settings.slices();
    boolean alone = kind == FillKind.ALONE || kind == FillKind.PASS;
    return grid == null || alone || request.method() != HttpMethod.GET
        ? null
        : grid.first(request.method(), request.fields(), edge.ranges);
  }

  // ---- the clients

  /** Lets an exchange wait for the head. */
  void add(Exchange exchange) {
    audience.add(exchange);
  }

  /** Tells whether the head is there. */
  boolean isAnswered() {
    return content != null;
  }

  /** The response that readers may join, or null. */
  Entry entry() {
    return entry;
  }

  void requestContent(byte[] bytes, int from, int to) {
    if (!over) {
      call.content(bytes, from, to);
    }
  }

  void requestEnd() {
    contentSent = true;
    if (!over) {
      call.contentEnd();
    }
  }

  boolean isWritable() {
    return over || call.isWritable();
  }

  /** Lets an exchange go. A fetch for the store goes on without it. */
  void leave(Exchange exchange) {
    if (audience.leave(exchange)) {
      boolean useless = !kind.isShared() && content == null;
      if (!over && (useless || !contentSent)) {
        abandon();
      }
    }
  }

  private void abandon() {
    over = true;
    edge.count(Why.FETCH_ABANDONED);
    edge.removeFill(this);
    call.cancel();
    if (intake != null) {
      intake.drop();
    }
    if (flow != null) {
      flow.abort();
    }
  }

  // ---- purges

  /** Keeps the response out of the store, and others from joining. */
  void doom() {
    doomed = true;
    edge.removePending(this);
    if (flow != null) {
      flow.retire();
    }
  }

  void purge(Purge purge) {
    boolean unknown = content == null && !purge.surrogates().isEmpty();
    if (unknown || purge.names(key, entry == null ? Set.of() : entry.surrogates)) {
      doom();
    }
  }

  // ---- the origin

  @Override
  public void interim(ResponseHead response) {
    if (audience.leader() != null) {
      audience.leader().interim(response);
    }
  }

  @Override
  public void writable() {
    if (audience.leader() != null) {
      audience.leader().continueContent();
    }
  }

  @Override
  public void head(ResponseHead response, Body framing) {
    long now = edge.time.wall();
    int status = response.status();
    if (status == 304 && (validating != null || purpose == Forwarding.Purpose.FILL)) {
      if (validating == null) {
        call.cancel();
        failed(Why.ORIGIN_HEAD);
      } else {
        freshen(response, now);
      }
      return;
    }
    if (validating != null && Validation.outcome(status) == Validation.Outcome.ERROR) {
      audience.standIn(validating, status);
      if (audience.isEmpty()) {
        abandon();
        return;
      }
    }
    if (slice != null && (status == 206 || status == 416)) {
      sliced(response, framing, now);
      return;
    }
    if (Invalidation.decide(request.method(), status)) {
      edge.invalidate(key, response.fields());
    }
    if (request.method() == HttpMethod.HEAD && status == 200) {
      edge.freshener.afterHead(key, request, answer(response, now));
    }
    long declared = declared(response, framing);
    boolean stores = kind != FillKind.PASS && status != 206; // a part alone is not stored
    entry = stores ? maker.whole(answer(response, now), framing, declared, doomed) : null;
    if (entry == null) {
      content = new Content(edge.store, 0, declared);
      edge.removePending(this);
      if (kind.isShared() && !doomed) {
        edge.marks.mark(key, edge.time.ticks());
      }
    } else {
      content = entry.content;
      edge.marks.unmark(key);
    }
    intake = new Intake(content, call, framing, declared, this::abandon);
    lead(response, framing);
    if (entry == null) {
      audience.disperse();
    } else {
      audience.share(key, entry, response.fields());
    }
    intake.settle();
  }

  /** Takes the first slice of an object, or sends all waiting exchanges on their own way. */
  private void sliced(ResponseHead response, Body framing, long now) {
    boolean ended = response.status() == 416; // in front of the slice
    entry = ended ? null : maker.object(slice, answer(response, now), framing, doomed);
    if (entry == null) {
      if (!doomed && !ended) {
        edge.marks.mark(key, edge.time.ticks());
      }
      over = true;
      edge.removeFill(this);
      call.cancel();
      Exchange first = audience.takeLeader();
      if (first != null) {
        first.dispatch(true);
      }
      audience.disperse();
      return;
    }
    if (entry.isSliced()) {
      long length = entry.response.length();
      flow = new SliceFlow(edge, entry, entry.slices.grid().slice(slice.index(), length));
    }
    content = flow == null ? entry.content : flow.open(true);
    expected = flow == null ? entry.response.length() : flow.slice().length();
    edge.marks.unmark(key);
    intake = new Intake(content, call, framing, expected, this::abandon);
    if (audience.leader() != null) {
      edge.status.forward(why).forwardStatus(response.status());
      edge.status.stored().ttl(entry.response.remaining(now));
      audience.leader().send(entry);
    }
    audience.share(key, entry, response.fields());
    intake.settle();
  }

  private static long declared(ResponseHead response, Body framing) {
    return framing == Body.LENGTH ? response.contentLength() : -1;
  }

  /** Answers the leader. */
  private void lead(ResponseHead response, Body framing) {
    Exchange first = audience.leader();
    if (first == null) {
      return;
    }
    boolean part = request.fields().has(Field.RANGE);
    boolean whole = purpose == Forwarding.Purpose.FILL && response.status() == 200;
    if (entry == null && whole && part) {
      audience.takeLeader();
      first.dispatch(true); // a part of what is not stored comes from the origin
      return;
    }
    edge.status.forward(why).forwardStatus(response.status());
    if (entry != null) {
      edge.status.stored().ttl(entry.response.remaining(edge.time.wall()));
    }
    boolean condition =
        request.fields().has(Field.IF_NONE_MATCH) || request.fields().has(Field.IF_MODIFIED_SINCE);
    if (entry != null && whole && (part || condition)) {
      first.send(entry);
    } else {
      first.forward(response, framing, content);
    }
  }

  private Freshener.Reply answer(ResponseHead response, long now) {
    return new Freshener.Reply(response, requestTime, now);
  }

  /** Updates the stored response that a 304 confirms (RFC 9111, 4.3.4). */
  private void freshen(ResponseHead response, long now) {
    over = true;
    edge.removeFill(this);
    boolean confirmed =
        !doomed
            && edge.freshener.confirm(validating, request, answer(response, now))
            && !validating.isCold();
    Exchange first = audience.takeLeader();
    if (first != null) {
      if (confirmed) {
        long ttl = validating.response.remaining(now);
        edge.status.forward(why).forwardStatus(304).ttl(ttl);
        edge.store.touch(validating);
        first.release();
        first.send(validating);
      } else {
        first.fetchAgain(key, why);
      }
    }
    audience.disperse();
  }

  @Override
  public void content(byte[] bytes, int from, int to) {
    if (over) {
      return;
    }
    if (expected >= 0 && content.length() + to - from > expected) {
      call.cancel();
      failed(Why.ORIGIN_EXCESS);
      return;
    }
    content.add(bytes, from, to);
    if (entry != null && !content.isKept()) {
      loose();
    }
    intake.settle();
  }

  /** Goes on for the readers that there are, because the content is not kept. */
  private void loose() {
    boolean large = content.length() > edge.settings.entryBytes();
    edge.count(large ? Why.NOT_STORED_TOO_LARGE : Why.NOT_STORED_NO_ROOM);
    entry = null;
    edge.removePending(this);
    if (flow != null) {
      flow.loosen();
    }
    if (large) {
      edge.marks.mark(key, edge.time.ticks());
    }
  }

  @Override
  public void end() {
    if (over) {
      return;
    }
    if (expected >= 0 && content.length() < expected) {
      failed(Why.ORIGIN_CUT);
      return;
    }
    over = true;
    edge.removeFill(this);
    content.trim();
    boolean stored = flow == null ? entry != null && put() : flow.put();
    if (flow != null) {
      flow.retire();
    }
    intake.finish(stored);
  }

  private boolean put() {
    if (doomed) {
      edge.count(Why.NOT_STORED_PURGED);
      return false;
    }
    if (entry.response.length() < 0 && entry.response.status() != 204) {
      entry.response = entry.response.withLength(content.length());
    }
    boolean stored = edge.store.put(entry);
    edge.count(stored ? Why.STORED : Why.NOT_STORED_NO_ROOM);
    return stored;
  }

  @Override
  public void failed(Why reason) {
    if (over) {
      return;
    }
    over = true;
    edge.count(reason);
    edge.removeFill(this);
    if (intake != null) {
      intake.fail();
      if (flow != null) {
        flow.abort();
      }
      return;
    }
    if (validating != null) {
      audience.standIn(validating, StaleOnError.UNREACHABLE);
    }
    boolean validated = validating != null && reason != Why.ORIGIN_BUSY;
    audience.refuse(validated ? Refusal.GATEWAY_TIMEOUT : Refusal.of(reason));
  }
}
