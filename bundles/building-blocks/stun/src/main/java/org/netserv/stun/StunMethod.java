// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

/** The methods of STUN (RFC 8489, 18.2), TURN (RFC 8656, 17) and TURN for TCP (RFC 6062, 6.1). */
public enum StunMethod {
  BINDING(0x001),
  ALLOCATE(0x003),
  REFRESH(0x004),
  SEND(0x006),
  DATA(0x007),
  CREATE_PERMISSION(0x008),
  CHANNEL_BIND(0x009),
  CONNECT(0x00a),
  CONNECTION_BIND(0x00b),
  CONNECTION_ATTEMPT(0x00c),
  /** Any other method. No message of it is ever written. */
  UNKNOWN(0xfff);

  private static final StunMethod[] BY_CODE = new StunMethod[16];

  static {
    for (StunMethod method : values()) {
      if (method != UNKNOWN) {
        BY_CODE[method.code] = method;
      }
    }
  }

  private final int code;

  StunMethod(int code) {
    this.code = code;
  }

  /** The method's number, 12 bits. */
  public int code() {
    return code;
  }

  /** The message type of this method and a class: the class bits lie between the method's. */
  public int type(StunClass kind) {
    int high = (code & 0xf80) << 2;
    int middle = (code & 0x70) << 1;
    int low = code & 0xf;
    return high | middle | low | kind.bits();
  }

  /** Reads the method's bits of a message type. */
  static StunMethod ofType(int type) {
    int code = ((type >>> 2) & 0xf80) | ((type >>> 1) & 0x70) | (type & 0xf);
    StunMethod method = code < BY_CODE.length ? BY_CODE[code] : null;
    return method == null ? UNKNOWN : method;
  }
}
