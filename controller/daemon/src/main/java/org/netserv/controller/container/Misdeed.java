// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import java.util.Locale;
import org.netserv.frames.FrameException;

/** A reason why the container socket refuses a connection or a message. Its text is its counter. */
enum Misdeed {
  /** It has {@link AgentDoor#CONNECTIONS} connections already. */
  CONNECTIONS,
  /** It connects more often than {@link AgentDoor#PER_MINUTE} times a minute. */
  CONNECT_RATE,
  /** Another connection of it has greeted and is still open. */
  SECOND_AGENT,
  /** It connected and said no hello in time. */
  LATE_HELLO,
  /** Its first message is no hello, or a hello of another version. */
  BAD_HELLO,
  /** It closed within a frame. */
  CUT,
  /** A frame of length 0. */
  EMPTY,
  /** A frame longer than allowed. */
  TOO_LONG,
  /** A frame that is not text. */
  KIND,
  /** A frame that is not JSON. */
  NOT_JSON,
  /** A frame nested too deep, or with too many or too long parts. */
  JSON_LIMIT,
  /** A frame that is JSON, but no object. */
  NOT_OBJECT,
  /** A hello after the first. */
  SECOND_HELLO,
  /** An event that agents do not send. */
  UNKNOWN_EVENT,
  /** A reply to no request, or too late. */
  UNASKED_REPLY,
  /** A message that is neither hello, event nor reply. */
  UNKNOWN_MESSAGE,
  /** The controller itself has no room for it. No fault of the container. */
  OVERLOAD;

  /** Returns the name of its counter. */
  String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns true if it counts against the container. */
  boolean fault() {
    return this != OVERLOAD;
  }

  /** Returns the misdeed behind the end of a frame; null for an end that is nobody's fault. */
  static Misdeed of(FrameException.Reason reason) {
    return switch (reason) {
      case CLOSED, TIMEOUT -> null;
      case TRUNCATED -> CUT;
      case EMPTY -> EMPTY;
      case TOO_LONG -> TOO_LONG;
      case KIND -> KIND;
      case NOT_JSON -> NOT_JSON;
      case LIMIT -> JSON_LIMIT;
      case NOT_OBJECT -> NOT_OBJECT;
      case PROTOCOL -> BAD_HELLO;
    };
  }
}
