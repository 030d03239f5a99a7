// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The value of From or To: {@code ( name-addr / addr-spec ) *( SEMI parameter )}. Without angle
 * brackets, the text behind the first semicolon belongs to the header, not to the URI (RFC 3261,
 * 20.10).
 */
public final class SipAddress {
  private static final byte[] TAG = "tag".getBytes(StandardCharsets.US_ASCII);

  private final SipParameters parameters = new SipParameters();
  private int uriStart;
  private int uriEnd;
  private int tagStart;
  private int tagEnd;

  public SipError reset(ByteBuffer buffer, int start, int end) {
    uriStart = uriEnd = start;
    tagStart = tagEnd = 0;
    int behind = address(buffer, Ascii.skipSpace(buffer, start, end), end);
    if (behind < 0) {
      return SipError.ADDRESS;
    }
    parameters.reset(buffer, behind, end);
    while (parameters.next()) {
      if (parameters.is(TAG)) {
        if (tagEnd != 0) {
          return SipError.PARAMETER_REPEATED;
        }
        if (!parameters.hasValue()) {
          return SipError.PARAMETER;
        }
        tagStart = parameters.valueStart();
        tagEnd = parameters.valueEnd();
      }
    }
    if (parameters.error() != SipError.OK) {
      return parameters.error();
    }
    boolean whole = Ascii.skipSpace(buffer, parameters.end(), end) == end;
    return whole ? SipError.OK : SipError.ADDRESS;
  }

  /** Finds the URI. Returns the offset of the parameters, or -1. */
  private int address(ByteBuffer buffer, int start, int end) {
    int at = start;
    if (at < end && buffer.get(at) == '"') {
      int quoted = Ascii.skipQuoted(buffer, at, end);
      if (quoted < 0) {
        return -1;
      }
      at = Ascii.skipSpace(buffer, quoted, end);
      return at < end && buffer.get(at) == '<' ? bracketed(buffer, at, end) : -1;
    }
    // a display name of tokens, or the scheme of an addr-spec
    at = Ascii.skip(buffer, at, end, Ascii.TOKEN | Ascii.SPACE);
    if (at < end && buffer.get(at) == '<') {
      return bracketed(buffer, at, end);
    }
    return bare(buffer, start, end);
  }

  private int bracketed(ByteBuffer buffer, int open, int end) {
    uriStart = open + 1;
    int i = Ascii.skipUri(buffer, uriStart, end);
    uriEnd = i;
    return i > uriStart && i < end && buffer.get(i) == '>' ? i + 1 : -1;
  }

  /** Finds a URI without brackets. A comma, a semicolon or a question mark cannot be part of it. */
  private int bare(ByteBuffer buffer, int start, int end) {
    uriStart = start;
    int i = start;
    while (i < end && Ascii.is(buffer.get(i), Ascii.URI) && ";,?".indexOf(buffer.get(i)) < 0) {
      i++;
    }
    uriEnd = i;
    return i > start ? i : -1;
  }

  public int uriStart() {
    return uriStart;
  }

  public int uriEnd() {
    return uriEnd;
  }

  public boolean hasTag() {
    return tagEnd != 0;
  }

  /** Start and end of the tag; equal when there is none. */
  public int tagStart() {
    return tagStart;
  }

  public int tagEnd() {
    return tagEnd;
  }
}
