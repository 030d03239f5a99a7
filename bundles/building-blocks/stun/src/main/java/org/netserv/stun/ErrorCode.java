// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

/**
 * ERROR-CODE (RFC 8489, 14.8), and ADDRESS-ERROR-CODE (RFC 8656, 18.12), which has a family in the
 * first byte:
 *
 * <pre>
 *   0  family or 0      1  0      2  class: hundreds, 3 bits      3  number: 0 to 99      4  reason
 * </pre>
 */
public final class ErrorCode {
  private ErrorCode() {}

  /** Returns the code of ERROR-CODE, 300 to 699; -1 if it is absent or not such a code. */
  public static int get(StunMessage message) {
    return get(message, StunAttribute.ERROR_CODE);
  }

  /** Returns the code of ADDRESS-ERROR-CODE, 300 to 699; -1 if it is absent or not such a code. */
  public static int getOfAddress(StunMessage message) {
    return get(message, StunAttribute.ADDRESS_ERROR_CODE);
  }

  /** Returns the family of ADDRESS-ERROR-CODE, any byte; -1 if it is absent. */
  public static int familyOfAddress(StunMessage message) {
    int at = message.find(StunAttribute.ADDRESS_ERROR_CODE);
    return at < 0 ? -1 : message.buffer().get(message.valueStart(at)) & 0xff;
  }

  private static int get(StunMessage message, StunAttribute type) {
    int at = message.find(type);
    if (at < 0) {
      return -1;
    }
    int hundreds = message.buffer().get(message.valueStart(at) + 2) & 7;
    int number = message.buffer().get(message.valueStart(at) + 3) & 0xff;
    return hundreds < 3 || hundreds > 6 || number > 99 ? -1 : hundreds * 100 + number;
  }

  /** Adds ERROR-CODE with the recommended reason. */
  public static void put(StunWriter writer, StunStatus status) {
    put(writer, StunAttribute.ERROR_CODE, 0, status);
  }

  /** Adds ADDRESS-ERROR-CODE with the recommended reason. */
  public static void putOfAddress(StunWriter writer, int family, StunStatus status) {
    put(writer, StunAttribute.ADDRESS_ERROR_CODE, family, status);
  }

  private static void put(StunWriter writer, StunAttribute type, int family, StunStatus status) {
    String reason = status.reason();
    int at = writer.add(type, 4 + reason.length());
    if (at >= 0) {
      int code = ((status.code() / 100) << 8) | (status.code() % 100);
      writer.buffer().putInt(at, (family << 24) | code);
      for (int i = 0; i < reason.length(); i++) {
        writer.buffer().put(at + 4 + i, (byte) reason.charAt(i));
      }
    }
  }
}
