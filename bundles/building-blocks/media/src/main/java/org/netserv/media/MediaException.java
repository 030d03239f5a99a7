// SPDX-License-Identifier: Apache-2.0
package org.netserv.media;

import java.io.IOException;

/** Tells that there is no result, and why. */
public final class MediaException extends IOException {
  private static final long serialVersionUID = 1;

  private final MediaRefusal refusal;

  MediaException(MediaRefusal refusal, String detail) {
    super(detail.isEmpty() ? refusal.text() : refusal.text() + ": " + detail);
    this.refusal = refusal;
  }

  /** Returns the reason. */
  public MediaRefusal refusal() {
    return refusal;
  }
}
