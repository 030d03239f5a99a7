// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import java.nio.ByteBuffer;

/** {@code CSeq: number LWS method} (RFC 3261, 20.16): the number is below 2**31. */
public final class SipCseq {
  private static final long LIMIT = 1L << 31;

  private long number;
  private int methodStart;
  private int methodEnd;

  public SipError reset(ByteBuffer buffer, int start, int end) {
    int digits = start;
    while (digits < end && buffer.get(digits) == '0') { // "0009" is nine
      digits++;
    }
    int stop = Ascii.skip(buffer, digits, end, Ascii.DIGIT);
    number = stop == digits && digits > start ? 0 : Ascii.number(buffer, digits, stop, 10);
    methodStart = Ascii.skipSpace(buffer, stop, end);
    methodEnd = Ascii.skipToken(buffer, methodStart, end);
    if (number < 0 || number >= LIMIT) {
      return SipError.CSEQ_NUMBER;
    }
    boolean token = methodStart > stop && methodEnd > methodStart && methodEnd == end;
    return token ? SipError.OK : SipError.CSEQ_METHOD;
  }

  public long number() {
    return number;
  }

  public int methodStart() {
    return methodStart;
  }

  public int methodEnd() {
    return methodEnd;
  }
}
