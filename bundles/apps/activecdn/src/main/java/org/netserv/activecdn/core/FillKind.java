// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import org.netserv.http.cache.Forwarding;

/** Kinds of fetches. */
enum FillKind {
  /** The response is for whoever asks. */
  SHARED(Forwarding.Purpose.FILL),
  /** The response is for one client, and is stored if it may be. */
  ALONE(Forwarding.Purpose.PASS),
  /** The response is for one client, whole, and is stored if it may be. */
  AGAIN(Forwarding.Purpose.FILL),
  /** The response is for the store. */
  BEHIND(Forwarding.Purpose.FILL),
  /** The response is for one client, and is not stored. */
  PASS(Forwarding.Purpose.PASS);

  final Forwarding.Purpose purpose;

  FillKind(Forwarding.Purpose purpose) {
    this.purpose = purpose;
  }

  /** Tells whether others may wait for the response. */
  boolean isShared() {
    return this == SHARED || this == BEHIND;
  }

  /** Returns the name that such a fetch is counted by. */
  Why why() {
    return switch (this) {
      case SHARED -> Why.FETCH;
      case BEHIND -> Why.FETCH_BEHIND;
      default -> Why.FETCH_ALONE;
    };
  }
}
