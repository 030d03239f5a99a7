// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.netserv.activecdn.core.Origin;
import org.netserv.activecdn.core.Why;
import org.netserv.http.Body;

/** A request to the origin: waiting for a connection, on one, or over. */
final class OriginCall implements Origin.Call {
  final Origin.Question question;
  final Origin.Sink sink;

  private final List<byte[]> early = new ArrayList<>(); // content that came before a connection
  private OriginConnection connection; // null = none yet, or over
  private boolean contentEnded;
  private boolean over;
  boolean isRetried;
  long since; // ticks at which it began to wait

  OriginCall(Origin.Question question, Origin.Sink sink) {
    this.question = question;
    this.sink = sink;
    this.contentEnded = question.body() == Body.NONE;
  }

  /**
   * Puts the call on a connection, and sends what there is of it.
   *
   * @param waited whether the request's content may have been held until now
   */
  void begin(OriginConnection on, boolean waited) {
    connection = on;
    on.writeHead(question);
    for (byte[] bytes : early) {
      on.writeContent(bytes, 0, bytes.length);
    }
    early.clear();
    if (contentEnded) {
      on.writeContentEnd();
    }
    on.flush();
    if (waited && !contentEnded) {
      sink.writable();
    }
  }

  @Override
  public void content(byte[] bytes, int from, int to) {
    if (over) {
      return;
    }
    if (connection == null) {
      early.add(Arrays.copyOfRange(bytes, from, to));
    } else {
      connection.writeContent(bytes, from, to);
      connection.flush();
    }
  }

  @Override
  public void contentEnd() {
    contentEnded = true;
    if (connection != null) {
      connection.writeContentEnd();
      connection.flush();
    }
  }

  @Override
  public boolean isWritable() {
    return connection != null && connection.isWritable();
  }

  @Override
  public void hold(boolean held) {
    if (connection != null) {
      connection.hold(held);
    }
  }

  @Override
  public void cancel() {
    over = true;
    OriginConnection on = connection;
    connection = null;
    if (on != null) {
      on.give(this);
    }
  }

  /** Takes the call off its connection, for another one. */
  void leave() {
    connection = null;
  }

  /** Ends the call: the sink hears no more. */
  void finish() {
    over = true;
    connection = null;
  }

  void fail(Why why) {
    if (!over) {
      finish();
      sink.failed(why);
    }
  }

  boolean isOver() {
    return over;
  }
}
