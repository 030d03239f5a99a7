// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The marks by which a request asks for preference: values of Resource-Priority (RFC 4412) and the
 * URN of emergency services (RFC 5031).
 *
 * <pre>
 *   Resource-Priority: ets.0, dsn.flash-override       namespace "." r-priority, a list
 *   INVITE urn:service:sos.police SIP/2.0
 * </pre>
 */
public final class SipPriority {
  private static final byte[] SOS = "urn:service:sos".getBytes(StandardCharsets.US_ASCII);

  private ByteBuffer buffer;
  private int at;
  private int limit;
  private int namespaceStart;
  private int namespaceEnd;
  private int priorityEnd;

  /** Begins with the first r-value of a Resource-Priority value. */
  public void reset(ByteBuffer bytes, int start, int end) {
    buffer = bytes;
    at = start;
    limit = end;
  }

  /** Moves to the next r-value; false at the end of the list and at a malformed one. */
  public boolean next() {
    int start = Ascii.skipSpace(buffer, at, limit);
    int end = Ascii.skipToken(buffer, start, limit);
    int dot = Ascii.indexOf(buffer, start, end, '.');
    int behind = Ascii.skipSpace(buffer, end, limit);
    boolean bounded = behind == limit || buffer.get(behind) == ',';
    if (dot == start || dot >= end - 1 || !bounded) {
      at = limit;
      return false;
    }
    namespaceStart = start;
    namespaceEnd = dot;
    priorityEnd = end;
    at = Math.min(limit, behind + 1);
    return true;
  }

  /** Tells whether the r-value has this namespace, given in lower case. */
  public boolean isNamespace(byte[] lower) {
    return Ascii.equalIgnoreCase(buffer, namespaceStart, namespaceEnd, lower);
  }

  public int namespaceStart() {
    return namespaceStart;
  }

  public int namespaceEnd() {
    return namespaceEnd;
  }

  /** Returns the start of the r-priority, behind the dot. */
  public int priorityStart() {
    return namespaceEnd + 1;
  }

  public int priorityEnd() {
    return priorityEnd;
  }

  /** Tells whether the URI is {@code urn:service:sos} or one of its subservices. */
  public static boolean isEmergency(ByteBuffer buffer, int start, int end) {
    int stop = start + SOS.length;
    return stop <= end
        && Ascii.equalIgnoreCase(buffer, start, stop, SOS)
        && (stop == end || buffer.get(stop) == '.');
  }
}
