// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A URI. Of {@code sip:} and {@code sips:} (RFC 3261, 19.1) all parts are found. Of any other
 * scheme only the scheme is found, and the rest is opaque.
 *
 * <pre>
 *   sip: alice:secret @ example.com:5060 ;transport=udp ?Subject=x
 *        user part      host        port  tail
 * </pre>
 */
public final class SipUri {
  private static final long SIP_COLON = Ascii.word("sip:".getBytes(StandardCharsets.US_ASCII));
  private static final byte[] SIPS = "sips".getBytes(StandardCharsets.US_ASCII);
  private static final String USER_MARKS = "-_.!~*'()&=+$,;?/%:";
  private static final String TAIL_MARKS = "-_.!~*'()[]/:&+$%;=?";

  private final SipHost host = new SipHost();
  private boolean sip;
  private boolean sips;
  private boolean user;
  private int schemeEnd;
  private int tailStart;
  private int end;

  public SipError reset(ByteBuffer buffer, int start, int stop) {
    end = stop;
    sip = false;
    sips = false;
    user = false;
    tailStart = stop;
    if (ByteWords.lower(Ascii.word(buffer, start, Math.min(start + 4, stop))) == SIP_COLON) {
      sip = true;
      schemeEnd = start + 3;
      return hierarchical(buffer, start + 4);
    }
    schemeEnd = scheme(buffer, start, stop);
    if (schemeEnd == stop || schemeEnd == start || buffer.get(schemeEnd) != ':') {
      return SipError.URI_SCHEME;
    }
    sips = Ascii.equalIgnoreCase(buffer, start, schemeEnd, SIPS);
    return sips ? hierarchical(buffer, schemeEnd + 1) : SipError.OK;
  }

  private static int scheme(ByteBuffer buffer, int start, int stop) {
    int i = start;
    while (i < stop && isScheme(buffer.get(i), i == start)) {
      i++;
    }
    return i;
  }

  private static boolean isScheme(byte c, boolean first) {
    return Ascii.isAlphanumeric(c)
        ? !(first && Ascii.isDigit(c))
        : !first && (c == '+' || c == '-' || c == '.');
  }

  private SipError hierarchical(ByteBuffer buffer, int at) {
    int mark = Ascii.indexOf(buffer, at, end, '@');
    user = mark < end; // unescaped it stands nowhere but behind the user part
    int hostStart = user ? mark + 1 : at;
    if (user && !only(buffer, at, hostStart - 1, USER_MARKS)) {
      return SipError.URI_USER;
    }
    SipError error = host.reset(buffer, hostStart, end);
    if (error != SipError.OK) {
      return error;
    }
    tailStart = host.end();
    boolean bounded =
        tailStart == end || buffer.get(tailStart) == ';' || buffer.get(tailStart) == '?';
    return bounded && (tailStart == end || only(buffer, tailStart, end, TAIL_MARKS))
        ? SipError.OK
        : SipError.URI_TAIL;
  }

  private static boolean only(ByteBuffer buffer, int start, int end, String marks) {
    for (int i = start; i < end; i++) {
      byte c = buffer.get(i);
      if (!Ascii.isAlphanumeric(c) && (c < 0 || marks.indexOf(c) < 0)) {
        return false;
      }
    }
    return end > start;
  }

  /** Tells whether the scheme is sip. */
  public boolean isSip() {
    return sip;
  }

  public boolean isSips() {
    return sips;
  }

  public int schemeEnd() {
    return schemeEnd;
  }

  /** Tells whether a user part stands before the host. */
  public boolean hasUser() {
    return user;
  }

  /** Valid for sip and sips only. */
  public SipHost host() {
    return host;
  }

  /**
   * Returns the offset of parameters and headers, with their ';' or '?'; {@link #end} without them.
   */
  public int tailStart() {
    return tailStart;
  }

  public int end() {
    return end;
  }
}
