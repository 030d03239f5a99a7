// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import org.netserv.http.Body;

/**
 * The content of a response on its way from the origin, as fast as its readers read. A content that
 * neither the store keeps nor anybody reads is given up.
 */
final class Intake {
  private final Content content;
  private final Origin.Call call;
  private final Body body;
  private final long declared;
  private final Runnable useless;
  private boolean over;

  /**
   * Takes a response, whose content follows.
   *
   * @param declared the length that the origin names, or -1
   * @param useless runs when nobody needs the rest
   */
  Intake(Content content, Origin.Call call, Body body, long declared, Runnable useless) {
    this.content = content;
    this.call = call;
    this.body = body;
    this.declared = declared;
    this.useless = useless;
    content.onProgress(this::settle);
  }

  /** Lets the origin go on or wait. */
  void settle() {
    if (over || (declared >= 0 && content.length() >= declared)) {
      return;
    }
    if (body != Body.NONE && !content.isKept() && !content.hasReaders()) {
      useless.run();
    } else {
      call.hold(content.isFull());
    }
  }

  /** Ends a whole content. */
  void finish(boolean stored) {
    stop();
    content.finish();
    if (!stored) {
      content.disown();
    }
  }

  /** Ends a content that does not become whole. Its readers are cut. */
  void fail() {
    stop();
    content.fail();
    content.disown();
  }

  /** Ends a content that nobody reads. */
  void drop() {
    stop();
    content.disown();
  }

  private void stop() {
    over = true;
    content.onProgress(() -> {});
  }
}
