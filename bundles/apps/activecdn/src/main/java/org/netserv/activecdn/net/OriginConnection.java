// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.netserv.activecdn.core.Origin;
import org.netserv.activecdn.core.Why;
import org.netserv.http.Body;
import org.netserv.http.ContentError;
import org.netserv.http.ContentReader;
import org.netserv.http.ContentStep;
import org.netserv.http.HeadError;
import org.netserv.http.ResponseHead;

/**
 * A connection to the origin over HTTP/1.1: one request after another. Whatever the origin sends
 * that is not exactly the response to the request ends the connection, so that no byte of one
 * response can become part of another.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the channel's events tell the outcome
final class OriginConnection extends ChannelInboundHandlerAdapter {
  private static final int MOST_INTERIM = 32;
  private static final int STATUS_SWITCHING = 101;

  private final OriginPool pool;
  private final Inbox inbox = new Inbox();
  private final ResponseHead head;
  private final ContentReader content;
  private ChannelHandlerContext context; // null = not connected yet
  private OriginCall call; // null = idle, or made for the next request
  private Place place = Place.DIALING;
  private boolean reused;
  private boolean answered; // a byte of the response came
  private boolean asked; // all of the request is sent
  private boolean failed; // the connection was reset
  private boolean held;
  private int interim;
  private long since; // ticks of the last progress

  /** Places in the life of a connection. */
  private enum Place {
    DIALING,
    IDLE,
    HEAD,
    CONTENT,
    CLOSED
  }

  OriginConnection(OriginPool pool, OriginCall first) {
    this.pool = pool;
    this.call = first;
    this.since = pool.time.ticks();
    head = new ResponseHead(pool.settings.limits());
    content = new ContentReader(pool.settings.limits());
  }

  @Override
  public void channelActive(ChannelHandlerContext active) {
    context = active;
    pool.count(Why.ORIGIN_CONNECTED);
    if (place == Place.CLOSED) {
      active.close();
    } else if (call == null || call.isOver()) {
      call = null; // it was cancelled meanwhile
      rest();
      pool.free(this);
    } else {
      begin(call, false, true);
    }
  }

  /** Hears that no connection came about. */
  void dialFailed() {
    OriginCall waited = call;
    call = null;
    place = Place.CLOSED;
    pool.closed(this);
    if (waited != null) {
      waited.fail(Why.ORIGIN_UNREACHABLE);
    }
  }

  /**
   * Sends a request.
   *
   * @param kept whether the connection has carried another one
   * @param waited whether the request has waited for the connection
   */
  void begin(OriginCall next, boolean kept, boolean waited) {
    call = next;
    place = Place.HEAD;
    reused = kept;
    answered = false;
    asked = false;
    interim = 0;
    since = pool.time.ticks();
    next.begin(this, waited);
  }

  /** Tells whether it is being made and no request waits for it. */
  boolean isComing() {
    return place == Place.DIALING && (call == null || call.isOver());
  }

  // ---- the request

  void writeHead(Origin.Question question) {
    context.write(context.alloc().buffer(question.head().length).writeBytes(question.head()));
    asked = question.body() == Body.NONE;
  }

  void writeContent(byte[] bytes, int from, int to) {
    if (to > from) {
      Chunks.write(context, call.question.body() == Body.CHUNKED, bytes, from, to, true);
      since = isWritable() ? pool.time.ticks() : since;
    }
  }

  void writeContentEnd() {
    if (call != null && call.question.body() == Body.CHUNKED) {
      Chunks.end(context);
    }
    asked = true;
    since = pool.time.ticks();
  }

  void flush() {
    context.flush();
  }

  boolean isWritable() {
    return context.channel().isWritable();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext changed) {
    since = pool.time.ticks();
    if (call != null && !asked && isWritable()) {
      call.sink.writable();
    }
  }

  // ---- the response

  @Override
  public void channelRead(ChannelHandlerContext from, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    try {
      if (place == Place.CLOSED || !bytes.isReadable()) {
        return;
      }
      inbox.add(bytes);
    } finally {
      bytes.release();
    }
    since = pool.time.ticks();
    if (call == null) {
      pool.count(Why.ORIGIN_UNASKED);
      close();
      return;
    }
    answered = true;
    boolean more = true;
    while (more && call != null) {
      more = place == Place.HEAD ? readHead() : readContent();
    }
  }

  /** Reads a head. Returns false if it is not whole. */
  private boolean readHead() {
    int end = inbox.headEnd();
    if (end < 0 && inbox.size() < pool.settings.limits().bytes()) {
      return false;
    }
    HeadError error = head.reset(inbox.bytes(), inbox.start(), inbox.stop());
    if (error != HeadError.OK || head.status() == STATUS_SWITCHING) {
      fail(Why.ORIGIN_HEAD);
      return false;
    }
    inbox.skip(head.end());
    if (head.isInterim()) {
      if (++interim > MOST_INTERIM) {
        fail(Why.ORIGIN_HEAD);
        return false;
      }
      pool.count(Why.ORIGIN_INTERIM);
      call.sink.interim(head);
      return true;
    }
    place = Place.CONTENT;
    content.reset(head, call.question.method());
    call.sink.head(head, content.body());
    return true;
  }

  private boolean readContent() {
    ContentStep step = content.read(inbox.bytes(), inbox.start(), inbox.stop());
    switch (step) {
      case DATA -> {
        inbox.skip(content.end());
        call.sink.content(inbox.bytes(), content.dataStart(), content.dataEnd());
        return true;
      }
      case END -> {
        inbox.skip(content.end());
        complete();
        return false;
      }
      case MORE -> {
        inbox.skip(content.end());
        return false;
      }
      case FAULT -> fail(Why.ORIGIN_CONTENT);
    }
    return false;
  }

  private void complete() {
    OriginCall done = call;
    call = null;
    if (inbox.size() > 0) {
      pool.count(Why.ORIGIN_EXCESS);
    }
    boolean keeps =
        asked && head.persists() && content.body() != Body.UNTIL_CLOSE && inbox.size() == 0;
    done.finish();
    if (keeps) {
      rest();
      pool.free(this);
    } else {
      close();
    }
    done.sink.end();
  }

  /** Waits for another request. */
  private void rest() {
    place = Place.IDLE;
    since = pool.time.ticks();
    hold(false);
  }

  void hold(boolean wanted) {
    if (held != wanted) {
      held = wanted;
      since = pool.time.ticks();
      context.channel().config().setAutoRead(!wanted);
    }
  }

  // ---- the end

  /** Takes a call off that is not wanted any more. */
  void give(OriginCall cancelled) {
    if (call == cancelled) {
      call = null;
      if (place != Place.DIALING) {
        close();
      }
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
    failed = true;
    at.close();
  }

  @Override
  public void channelInactive(ChannelHandlerContext gone) {
    Place last = place;
    place = Place.CLOSED;
    pool.closed(this);
    OriginCall broken = call;
    call = null;
    if (broken == null) {
      return;
    }
    boolean repeat = last == Place.HEAD && reused && !answered && broken.question.repeatable();
    if (repeat && !broken.isRetried) {
      pool.retry(broken);
    } else if (last == Place.CONTENT && !failed && content.finish()) {
      broken.finish();
      broken.sink.end();
    } else {
      boolean fault = last == Place.CONTENT && content.error() != ContentError.CUT;
      broken.fail(fault && !failed ? Why.ORIGIN_CONTENT : Why.ORIGIN_CUT);
    }
  }

  private void fail(Why why) {
    OriginCall broken = call;
    call = null;
    close();
    if (broken != null) {
      broken.fail(why);
    }
  }

  void close() {
    boolean dialing = context == null;
    if (place != Place.CLOSED) {
      place = Place.CLOSED;
      pool.closed(this);
      if (!dialing) {
        context.close();
      }
    }
    OriginCall left = call;
    call = null;
    if (left != null) {
      left.fail(Why.ORIGIN_CUT);
    }
  }

  /** Ends everything that has waited for too long. */
  void sweep(long now) {
    long waited = now - since;
    OriginSettings by = pool.settings;
    switch (place) {
      case DIALING -> {
        if (waited > by.connect()) {
          fail(Why.ORIGIN_UNREACHABLE);
        }
      }
      case HEAD -> {
        if ((asked || !isWritable()) && waited > by.head()) {
          fail(Why.ORIGIN_TIMEOUT);
        }
      }
      case CONTENT -> {
        if (!held && waited > by.stall()) {
          fail(Why.ORIGIN_TIMEOUT);
        }
      }
      case IDLE -> {
        if (waited > by.idle()) {
          close();
        }
      }
      case CLOSED -> {}
    }
  }
}
