// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload.feedback;

/** Algorithms that feedback can ask for, with their code on the wire and the unit of the value. */
public enum FeedbackKind {
  /** Percent of requests to reject (RFC 7339). */
  LOSS(1, "loss"),
  /** Requests per second that may pass (RFC 7415). */
  RATE(2, "rate"),
  /** Requests that may be without a response at a time. */
  WINDOW(3, "window"),
  /** Occupancy of the server in tenths of a percent. */
  OCCUPANCY(4, "occupancy");

  private final int code;
  private final String text;

  FeedbackKind(int code, String text) {
    this.code = code;
    this.text = text;
  }

  public int code() {
    return code;
  }

  /** Returns the name in settings. */
  public String text() {
    return text;
  }

  /** Returns the algorithm of this code, or null. */
  public static FeedbackKind of(int code) {
    for (FeedbackKind kind : values()) {
      if (kind.code == code) {
        return kind;
      }
    }
    return null;
  }
}
