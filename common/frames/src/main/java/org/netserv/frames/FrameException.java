// SPDX-License-Identifier: Apache-2.0
package org.netserv.frames;

import java.io.IOException;

/**
 * A fault of a peer that breaks the rules of frames, or is absent. The connection is of no more
 * use.
 */
public final class FrameException extends IOException {
  private static final long serialVersionUID = 1;

  /** The kind of fault. */
  public enum Reason {
    /** The peer closed between two frames, or we did. */
    CLOSED,
    /** The peer closed within a frame. */
    TRUNCATED,
    /** length32 is 0. */
    EMPTY,
    /** length32 is above the limit. */
    TOO_LONG,
    /** kind8 is not J or B, or not the one expected here. */
    KIND,
    /** A J frame that is not UTF-8 or not JSON within our limits. */
    NOT_JSON,
    /** A J frame that is JSON, but deeper or of more parts than the receiver takes. */
    LIMIT,
    /** A J frame that is JSON, but not one object. */
    NOT_OBJECT,
    /** No hello, or one of another major version. */
    PROTOCOL,
    /** No answer in time. */
    TIMEOUT
  }

  private final Reason reason;

  public FrameException(Reason reason, String text) {
    super(reason + ": " + text);
    this.reason = reason;
  }

  public FrameException(Reason reason, String text, Throwable cause) {
    this(reason, text);
    initCause(cause);
  }

  public Reason reason() {
    return reason;
  }
}
