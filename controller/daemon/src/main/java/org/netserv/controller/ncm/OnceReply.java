// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.util.function.Consumer;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.loop.Loop;

/** Answers once: with the end state or, when the sender's time is over, with 202. On the loop. */
final class OnceReply {
  /** No sender waits longer than this, ms. */
  static final long WAIT_MAX = 120_000;

  private final Consumer<NcmReply> reply;
  private final Loop.Timer timer;
  private boolean done;

  /**
   * Starts the sender's time.
   *
   * @param waitMillis time that the sender waits; more than {@link #WAIT_MAX} counts as that
   */
  OnceReply(Loop loop, long waitMillis, Consumer<NcmReply> reply) {
    this.reply = reply;
    long wait = Math.max(0, Math.min(WAIT_MAX, waitMillis));
    this.timer = loop.after(wait, () -> finish(new Answer(202, null, "accepted and under way")));
  }

  /** Sends the answer, unless one has been sent. */
  void finish(Answer answer) {
    if (!done) {
      done = true;
      timer.cancel();
      reply.accept(NcmReply.of(answer));
    }
  }
}
