// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload.feedback;

/** A message that is not taken, with the reason. */
public final class FeedbackException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Reasons, each with a counter of its name. */
  public enum Reason {
    LENGTH("not as long as its kind"),
    MAGIC("does not begin with NSOC"),
    VERSION("not version 1"),
    KIND("another kind of message"),
    MAC("code does not fit: wrong key or changed"),
    ALGORITHM("unknown algorithm or flags"),
    RANGE("value, validity or sequence out of range");

    private final String text;

    Reason(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  private final Reason reason;

  FeedbackException(Reason reason) {
    super(reason.text(), null, false, false);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
