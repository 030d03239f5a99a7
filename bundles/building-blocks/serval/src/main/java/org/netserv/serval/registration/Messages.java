// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.registration;

import java.nio.ByteBuffer;

/**
 * The places of fields in the messages of signed registrations. Each message is the payload of an
 * unconnected datagram, and begins with its type and its length. The published stack has the types
 * 0 and 1.
 *
 * <pre>
 *   0  type     1  outcome, of an answer     2  length, 16 bits
 *
 *   ASK 2         4 host's nonce, 16     20 zeros to byte 100
 *   CHALLENGE 3   4 host's nonce, 16     20 router's key agreement, 32     52 minute, 32 bits
 *                 56 cookie, 32
 *   REGISTER 4    4 host's nonce, 16     20 minute, 32 bits                24 cookie, 32
 *                 56 host's key agreement, 32     88 lifetime, seconds, 32 bits
 *                 92 weight, 16 bits     94 bits of the prefix, 16 bits    96 serviceID, 32
 *                 128 type of the key    129 1 = a delegation follows      130 reserved, 16 bits
 *                 132 key, 64            196 signature, 64                 [260 delegation, 172]
 *   ANSWER 5      4 handle, 64 bits      12 counter, 64 bits               20 lifetime, 32 bits
 *                 24 MAC, 32
 *   REFRESH 6     4 handle, 64 bits      12 counter, 64 bits               20 lifetime, 32 bits
 *                 24 MAC, 32
 * </pre>
 */
final class Messages {
  static final int ASK = 2;
  static final int CHALLENGE = 3;
  static final int REGISTER = 4;
  static final int ANSWER = 5;
  static final int REFRESH = 6;

  static final int OUTCOME = 1;
  static final int NONCE = 4;
  static final int NONCE_LENGTH = 16;
  static final int HASH = 32;

  static final int ASK_LENGTH = 100;

  static final int CHALLENGE_KEY = 20;
  static final int CHALLENGE_MINUTE = 52;
  static final int CHALLENGE_COOKIE = 56;
  static final int CHALLENGE_LENGTH = 88;

  static final int MINUTE = 20;
  static final int COOKIE = 24;
  static final int AGREEMENT = 56;
  static final int LIFETIME = 88;
  static final int WEIGHT = 92;
  static final int BITS = 94;
  static final int ID = 96;
  static final int KEY_TYPE = 128;
  static final int DELEGATED = 129;
  static final int KEY = 132;
  static final int SIGNATURE = 196;
  static final int REGISTER_LENGTH = 260;

  static final int HANDLE = 4;
  static final int COUNTER = 12;
  static final int ANSWER_LIFETIME = 20;
  static final int MAC = 24;
  static final int ANSWER_LENGTH = 56;

  private Messages() {}

  /** Begins a message of zeros. */
  static ByteBuffer begin(int type, int length) {
    return ByteBuffer.allocate(length).put(0, (byte) type).putShort(2, (short) length);
  }

  /** Returns the type of a message whose length is right for it, else -1. */
  static int type(ByteBuffer bytes, int first, int stop) {
    int length = stop - first;
    if (first < 0 || stop > bytes.limit() || length < ANSWER_LENGTH) {
      return -1;
    }
    if ((bytes.getShort(first + 2) & 0xffff) != length) {
      return -1;
    }
    int type = bytes.get(first);
    boolean right =
        switch (type) {
          case ASK -> length == ASK_LENGTH;
          case CHALLENGE -> length == CHALLENGE_LENGTH;
          case REGISTER ->
              length == REGISTER_LENGTH || length == REGISTER_LENGTH + Delegation.LENGTH;
          case ANSWER, REFRESH -> length == ANSWER_LENGTH;
          default -> false;
        };
    return right ? type : -1;
  }

  static byte[] bytes(ByteBuffer from, int at, int length) {
    byte[] bytes = new byte[length];
    from.get(at, bytes);
    return bytes;
  }
}
