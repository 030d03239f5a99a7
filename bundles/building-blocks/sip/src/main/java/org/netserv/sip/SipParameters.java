// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import java.nio.ByteBuffer;

/**
 * Walks {@code *( SEMI name [ EQUAL value ] )} with white space around each mark. A value is a
 * token, a host (so brackets and colons occur) or a quoted string. The quotes belong to the range.
 *
 * <pre>
 *   parameters.reset(buffer, at, end);
 *   while (parameters.next()) { ... parameters.is(BRANCH) ... }
 *   if (parameters.error() != SipError.OK) ...
 *   parameters.end()      end of the list: the range's end or the first byte that is no part of it
 * </pre>
 */
public final class SipParameters {
  private ByteBuffer buffer;
  private int limit;
  private int end;
  private int nameStart;
  private int nameEnd;
  private int valueStart;
  private int valueEnd;
  private SipError error = SipError.OK;

  public void reset(ByteBuffer bytes, int start, int stop) {
    buffer = bytes;
    limit = stop;
    end = start;
    error = SipError.OK;
  }

  /** Moves to the next parameter; false at the end of the list and at a fault. */
  public boolean next() {
    int semicolon = Ascii.skipSpace(buffer, end, limit);
    if (error != SipError.OK || semicolon == limit || buffer.get(semicolon) != ';') {
      return false;
    }
    nameStart = Ascii.skipSpace(buffer, semicolon + 1, limit);
    nameEnd = Ascii.skipToken(buffer, nameStart, limit);
    if (nameEnd == nameStart) {
      error = SipError.PARAMETER;
      return false;
    }
    valueStart = nameEnd;
    valueEnd = nameEnd;
    end = nameEnd;
    int equal = Ascii.skipSpace(buffer, nameEnd, limit);
    return equal == limit || buffer.get(equal) != '=' || value(equal + 1);
  }

  private boolean value(int at) {
    valueStart = Ascii.skipSpace(buffer, at, limit);
    if (valueStart < limit && buffer.get(valueStart) == '"') {
      valueEnd = Ascii.skipQuoted(buffer, valueStart, limit);
      if (valueEnd < 0) {
        error = SipError.QUOTE;
        return false;
      }
    } else {
      valueEnd = Ascii.skip(buffer, valueStart, limit, Ascii.VALUE);
      if (valueEnd == valueStart) {
        error = SipError.PARAMETER;
        return false;
      }
    }
    end = valueEnd;
    return true;
  }

  public SipError error() {
    return error;
  }

  /**
   * Returns the end of the parameter found last. After the last parameter, it is the end of the
   * list.
   */
  public int end() {
    return end;
  }

  /** Tells whether the parameter has this name, given in lower case. */
  public boolean is(byte[] lower) {
    return Ascii.equalIgnoreCase(buffer, nameStart, nameEnd, lower);
  }

  public int nameStart() {
    return nameStart;
  }

  public boolean hasValue() {
    return valueEnd > valueStart;
  }

  public int valueStart() {
    return valueStart;
  }

  public int valueEnd() {
    return valueEnd;
  }
}
