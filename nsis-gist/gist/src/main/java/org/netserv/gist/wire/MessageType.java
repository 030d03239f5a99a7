// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

/** Message types, RFC 5971 appendix A.1. */
public enum MessageType {
  QUERY(0),
  RESPONSE(1),
  CONFIRM(2),
  DATA(3),
  ERROR(4),
  MA_HELLO(5);

  private static final MessageType[] BY_CODE = values();

  private final int code;

  MessageType(int code) {
    this.code = code;
  }

  /** The type of that number; null = there is none. */
  static MessageType of(int code) {
    return code < BY_CODE.length ? BY_CODE[code] : null;
  }

  /** The number on the wire. */
  public int code() {
    return code;
  }
}
