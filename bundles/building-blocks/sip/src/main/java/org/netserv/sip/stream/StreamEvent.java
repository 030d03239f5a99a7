// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip.stream;

/** Events of streams, counted by name. */
public enum StreamEvent {
  STREAM_ACCEPTED,
  /** One of its ends closed. */
  STREAM_CLOSED,
  /** Refused: as many streams as there may be. */
  STREAM_FULL,
  /** Refused: the user's address has its share. */
  STREAM_SHARE,
  /** Closed: the server does not accept it, or not in time. */
  STREAM_NO_SERVER,
  /** Closed: no byte came for long. */
  STREAM_IDLE,
  /** Closed: bytes that are no SIP message, or a message without an end. */
  STREAM_BROKEN,
  /** Closed: an error of one of its sockets, or no descriptor was left. */
  STREAM_FAILED
}
