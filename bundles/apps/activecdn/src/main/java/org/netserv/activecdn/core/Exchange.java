// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import org.netserv.http.Body;
import org.netserv.http.Field;
import org.netserv.http.FieldSection;
import org.netserv.http.HttpMethod;
import org.netserv.http.RequestHead;
import org.netserv.http.ResponseHead;
import org.netserv.http.cache.CacheControl;
import org.netserv.http.cache.CacheStatus;
import org.netserv.http.cache.Directive;
import org.netserv.http.cache.Forwarding;
import org.netserv.http.cache.Reuse;
import org.netserv.http.cache.Selection;
import org.netserv.http.cache.StaleOnError;

/**
 * One request and its response, from the store or from a {@link Fill}. The client's connection
 * tells of the request's content, of room for more, and of the client's end.
 */
public final class Exchange implements Reply.Owner {
  /** Changes of the content after which a client is answered by the origin alone. */
  private static final int MOST_MISSED = 3;

  private final Edge edge;
  private final Client client;
  private final Reply reply;
  private Fill fill; // that this exchange leads or waits for, null = none
  private int missed; // first slices that did not come
  private boolean done;

  Exchange(Edge edge, Client client) {
    this.edge = edge;
    this.client = client;
    reply = new Reply(edge, client, this);
  }

  // ---- what the connection tells

  /** Begins. The response may be complete when this returns. */
  public void start() {
    RequestHead request = client.request();
    if (edge.admin().isOrder(request)) {
      client.order();
      edge.admin().serve(this, request);
      return;
    }
    Refusal refusal = edge.refusal(request, client.isSecure());
    SignedUrls signed = edge.settings.signed();
    if (refusal == null && signed.covers(request)) {
      refusal = signed.refusal(request, Math.floorDiv(edge.time.wall(), 1000L));
      signed.strip(request);
    }
    if (refusal != null) {
      refuse(refusal);
    } else if (!Forwarding.isAllowed(request)) {
      options();
    } else {
      dispatch(false);
    }
  }

  /** Takes a piece of the request's content. */
  public void content(byte[] bytes, int from, int to) {
    if (fill != null) {
      fill.requestContent(bytes, from, to);
      client.holdContent(!fill.isWritable());
    }
  }

  /** Takes the end of the request's content. */
  public void contentEnd() {
    if (fill != null) {
      fill.requestEnd();
    }
  }

  /** Hears that the client is gone, or given up. */
  public void gone() {
    if (!done) {
      leave();
      client.gone();
    }
  }

  /** Hears that the client takes more. */
  public void moved() {
    reply.moved();
  }

  // ---- what fetches ask and tell

  FieldSection fields() {
    return client.request().fields();
  }

  String address() {
    return client.address();
  }

  void continueContent() {
    client.holdContent(false);
  }

  /** Passes an interim response on. */
  void interim(ResponseHead response) {
    if (client.request().minor() > 0) {
      edge.out.begin().status(response.status()).copyEndToEnd(response.fields()).end();
      client.interim(edge.out);
    }
  }

  // ---- finding an answer

  /**
   * Finds the answer.
   *
   * @param alone whether the request has waited for another one in vain, and waits no more
   */
  void dispatch(boolean alone) {
    fill = null;
    if (done) {
      return; // the client went meanwhile
    }
    RequestHead request = client.request();
    Key key = edge.key(request, client.isSecure());
    if (isCacheable(request)) {
      lookUp(key, request, alone);
    } else {
      edge.count(Why.PASSED);
      boolean retrieves = request.method() == HttpMethod.GET || request.method() == HttpMethod.HEAD;
      CacheStatus.Forward why = retrieves ? CacheStatus.Forward.BYPASS : CacheStatus.Forward.METHOD;
      fetch(new Fill(edge, key.copy(), request, FillKind.PASS, null, why));
    }
  }

  /** Tells whether the store may answer. If-Match and If-Unmodified-Since are for the origin. */
  private static boolean isCacheable(RequestHead request) {
    boolean retrieves = request.method() == HttpMethod.GET || request.method() == HttpMethod.HEAD;
    return retrieves
        && Body.of(request) == Body.NONE
        && !request.fields().has(Field.IF_MATCH)
        && !request.fields().has(Field.IF_UNMODIFIED_SINCE);
  }

  private void lookUp(Key key, RequestHead request, boolean alone) {
    CacheControl directives = edge.directives.reset(request.fields());
    Variants variants = edge.store.find(key);
    int chosen =
        variants == null
            ? Selection.URI_MISS
            : Selection.choose(variants.responses(), request.fields(), edge.matcher);
    if (chosen < 0) {
      miss(key, request, CacheStatus.Forward.ofMiss(chosen), null, alone);
      return;
    }
    Entry entry = variants.get(chosen);
    long now = edge.time.wall();
    if (entry.isCold() && reply.needsContent(entry.response)) {
      recall(key, request, entry);
      return;
    }
    Reuse reuse = Reuse.decide(entry.response, directives, edge.settings.cache(), now);
    boolean complete = !reuse.isSent() || reply.isComplete(entry);
    if (reuse == Reuse.GATEWAY_TIMEOUT || (!complete && !Reuse.mayForward(directives))) {
      refuse(Refusal.ONLY_IF_CACHED);
    } else if (!complete && alone) {
      miss(key, request, CacheStatus.Forward.PARTIAL, null, true);
    } else if (!reuse.isSent()) {
      miss(key, request, CacheStatus.Forward.of(reuse), entry, alone);
    } else {
      if (reuse == Reuse.STALE_REVALIDATE) {
        revalidate(key, request, entry);
      }
      if (complete) {
        edge.count(reuse == Reuse.FRESH ? Why.HIT : Why.HIT_STALE);
        edge.status.hit();
      } else {
        edge.count(Why.PARTIAL);
        edge.status.forward(CacheStatus.Forward.PARTIAL);
      }
      edge.store.touch(entry);
      edge.status.ttl(entry.response.remaining(now));
      send(entry);
    }
  }

  /** Looks again when the content has come from the disk, or asks the origin. */
  private void recall(Key key, RequestHead request, Entry entry) {
    if (!edge.store.recall(entry, () -> dispatch(false))) {
      miss(key, request, CacheStatus.Forward.URI_MISS, null, true);
    }
  }

  /** Validates behind the client's back, unless a fetch is on its way (RFC 5861, 3). */
  private void revalidate(Key key, RequestHead request, Entry entry) {
    if (edge.pending(key).isEmpty() && request.method() == HttpMethod.GET) {
      CacheStatus.Forward why = CacheStatus.Forward.STALE;
      new Fill(edge, key.copy(), request, FillKind.BEHIND, entry, why).start(null);
    }
  }

  /** Joins a fetch that is on its way, or begins one. */
  private void miss(
      Key key, RequestHead request, CacheStatus.Forward why, Entry stale, boolean alone) {
    if (!Reuse.mayForward(edge.directives)) {
      refuse(Refusal.ONLY_IF_CACHED);
      return;
    }
    if (!alone && !wantsItsOwn() && join(key, request)) {
      return;
    }
    if (request.method() == HttpMethod.HEAD) {
      edge.count(Why.PASSED);
      fetch(new Fill(edge, key.copy(), request, FillKind.PASS, null, why));
      return;
    }
    edge.count(stale == null ? Why.MISS : Why.VALIDATED);
    boolean single = alone || edge.marks.isMarked(key, edge.time.ticks());
    FillKind kind = single ? FillKind.ALONE : FillKind.SHARED;
    fetch(new Fill(edge, key.copy(), request, kind, stale, why));
  }

  /** Tells whether the request accepts no response that was asked for before it came. */
  private boolean wantsItsOwn() {
    return edge.settings.cache().clientDirectives()
        && (edge.directives.has(Directive.NO_CACHE)
            || edge.directives.seconds(Directive.MAX_AGE) == 0);
  }

  private boolean join(Key key, RequestHead request) {
    for (Fill each : edge.pending(key)) {
      if (!each.isAnswered()) {
        if (request.method() == HttpMethod.GET) {
          follow(each);
          return true;
        }
      } else if (each.entry() != null && isMatch(each.entry()) && isSent(each.entry())) {
        edge.count(Why.HIT_WHILE_FILLING);
        edge.status.hit().ttl(each.entry().response.remaining(edge.time.wall()));
        send(each.entry());
        return true;
      }
    }
    return false;
  }

  boolean isMatch(Entry entry) {
    return edge.matcher.matches(entry.response.key(), fields());
  }

  private boolean isSent(Entry entry) {
    CacheControl directives = edge.directives.reset(fields());
    long now = edge.time.wall();
    return Reuse.decide(entry.response, directives, edge.settings.cache(), now).isSent();
  }

  /** Takes the response that the exchange has waited for, or says that it may not. */
  boolean share(Entry entry, CacheStatus.Forward why) {
    if (done) {
      return true; // the client went meanwhile
    }
    if (!isSent(entry)) {
      return false;
    }
    fill = null;
    edge.count(Why.JOINED);
    edge.status.forward(why).collapsed(true).ttl(entry.response.remaining(edge.time.wall()));
    send(entry);
    return true;
  }

  /** Waits for another fetch. */
  void follow(Fill other) {
    fill = other;
    other.add(this);
  }

  /** Forgets the fetch, which has answered. */
  void release() {
    fill = null;
  }

  private void fetch(Fill wanted) {
    fill = wanted;
    wanted.start(this);
  }

  /** Leads a fetch of the same URI for others as well. */
  Fill lead(Key key) {
    Fill group =
        new Fill(edge, key, client.request(), FillKind.SHARED, null, CacheStatus.Forward.VARY_MISS);
    fetch(group);
    return group;
  }

  /** Fetches the whole response, because the 304 named none that is stored. */
  void fetchAgain(Key key, CacheStatus.Forward why) {
    edge.count(Why.FETCH_AGAIN);
    fetch(new Fill(edge, key, client.request(), FillKind.AGAIN, null, why));
  }

  /**
   * Decides about an answer in place of an error (RFC 5861, 4), and sends it.
   *
   * @param status of the error, or UNREACHABLE
   * @return false if the error is to be sent
   */
  boolean standIn(Entry stale, int status, CacheStatus.Forward why) {
    CacheControl directives = edge.directives.reset(fields());
    long now = edge.time.wall();
    StaleOnError decision =
        StaleOnError.decide(stale.response, directives, status, edge.settings.cache(), now);
    if (!stale.isStored()
        || stale.isCold()
        || decision != StaleOnError.SEND_STORED
        || !reply.isComplete(stale)) {
      return false;
    }
    fill = null;
    edge.count(Why.HIT_STALE_ON_ERROR);
    edge.status.forward(why).forwardStatus(status).ttl(stale.response.remaining(now));
    send(stale);
    return true;
  }

  // ---- the response

  /**
   * Asks again when the first slice of the response does not come: as anew if the origin has
   * another content, else the origin itself, which says why.
   */
  @Override
  public void missing(boolean changed) {
    Fill led = fill;
    fill = null;
    if (led != null) {
      led.leave(this);
    }
    missed++;
    dispatch(!changed || missed == MOST_MISSED);
  }

  @Override
  public void unsound() {
    edge.count(Why.ORIGIN_HEAD);
    refuse(Refusal.BAD_GATEWAY);
  }

  @Override
  public void delivered() {
    leave();
    client.end();
  }

  @Override
  public void cut() {
    edge.count(Why.CUT_SHORT);
    leave();
    client.abort();
  }

  private void leave() {
    done = true;
    Fill led = fill;
    fill = null;
    reply.stop();
    if (led != null) {
      led.leave(this);
    }
  }

  // ---- answers of the edge's own

  /** Answers from a response that is stored or about to be; {@code edge.status} is filled in. */
  void send(Entry entry) {
    reply.send(entry);
  }

  /** Passes a response on as it comes; {@code edge.status} is filled in. */
  void forward(ResponseHead response, Body body, Content from) {
    reply.forward(response, body, from);
  }

  /** Answers with a refusal. */
  void refuse(Refusal refusal) {
    if (refusal.why != null) {
      edge.count(refusal.why);
    }
    local(refusal.status, "text/plain", refusal.text + "\n", refusal == Refusal.METHOD);
  }

  /** Answers with a text. */
  void answer(int status, String type, String text) {
    local(status, type, text, false);
  }

  private void options() {
    local(200, "text/plain", "", true);
  }

  private void local(int status, String type, String text, boolean allow) {
    if (!done) {
      reply.local(status, type, text, allow);
    }
  }
}
