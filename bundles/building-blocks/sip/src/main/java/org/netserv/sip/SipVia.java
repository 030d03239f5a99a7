// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * One via-parm of a Via value (RFC 3261, 20.42):
 *
 * <pre>
 *   SIP / 2.0 / UDP  10.1.1.1:4540 ;rport ;branch=z9hG4bKkjshdyff , SIP/2.0/UDP next
 *               |--| |-----| |--|  |-----------------------------|  |
 *          transport  host   port  parameters                end    nextStart
 * </pre>
 */
public final class SipVia {
  /** {@link #rport()} when the parameter is absent. */
  public static final int RPORT_ABSENT = -1;

  /**
   * {@link #rport()} when the parameter stands without a value, which asks for the port (RFC 3581).
   */
  public static final int RPORT_ASKED = 0;

  private static final long PLAIN = Ascii.word(ascii("sip/2.0/"));
  private static final byte[] SIP = ascii("sip");
  private static final byte[] TWO = ascii("2.0");
  private static final byte[] BRANCH = ascii("branch");
  private static final byte[] RECEIVED = ascii("received");
  private static final byte[] RPORT = ascii("rport");
  private static final byte[] MADDR = ascii("maddr");
  private static final byte[] KEEP = ascii("keep");

  private final SipParameters parameters = new SipParameters();
  private final SipHost host = new SipHost();
  private ByteBuffer buffer;
  private int limit;
  private int at;
  private int transportStart;
  private int transportEnd;
  private int branchStart;
  private int branchEnd;
  private int receivedStart;
  private int receivedEnd;
  private int rport;
  private boolean maddr;
  private boolean keep;
  private int parametersStart;
  private int end;
  private int nextStart;

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Reads the via-parm that begins at {@code start}. {@link #nextStart} is the offset of the next
   * one.
   */
  public SipError reset(ByteBuffer bytes, int start, int stop) {
    buffer = bytes;
    limit = stop;
    at = Ascii.skipSpace(bytes, start, stop);
    clear();
    SipError error = protocol();
    if (error != SipError.OK) {
      return error;
    }
    if (host.reset(bytes, at, stop) != SipError.OK) {
      return SipError.VIA_SENT_BY;
    }
    parametersStart = host.end();
    error = parameters();
    return error == SipError.OK ? tail() : error;
  }

  private void clear() {
    transportStart = transportEnd = at;
    branchStart = branchEnd = 0;
    receivedStart = receivedEnd = 0;
    rport = RPORT_ABSENT;
    maddr = false;
    keep = false;
    parametersStart = at;
    end = at;
    nextStart = -1;
  }

  /** sent-protocol = "SIP" SLASH "2.0" SLASH transport, then white space. */
  private SipError protocol() {
    if (ByteWords.lower(Ascii.word(buffer, at, limit))
        == PLAIN) { // nobody puts white space into it
      at = Ascii.skipSpace(buffer, at + Long.BYTES, limit);
    } else if (!part(SIP) || !slash() || !part(TWO) || !slash()) {
      return SipError.VIA_PROTOCOL;
    }
    transportStart = at;
    transportEnd = Ascii.skipToken(buffer, at, limit);
    at = Ascii.skipSpace(buffer, transportEnd, limit);
    return transportEnd == transportStart || at == transportEnd
        ? SipError.VIA_PROTOCOL
        : SipError.OK;
  }

  private boolean part(byte[] lower) {
    int start = at;
    at = Ascii.skipToken(buffer, start, limit);
    return Ascii.equalIgnoreCase(buffer, start, at, lower);
  }

  private boolean slash() {
    at = Ascii.skipSpace(buffer, at, limit);
    if (at == limit || buffer.get(at) != '/') {
      return false;
    }
    at = Ascii.skipSpace(buffer, at + 1, limit);
    return true;
  }

  private SipError parameters() {
    parameters.reset(buffer, parametersStart, limit);
    while (parameters.next()) {
      SipError error = parameter();
      if (error != SipError.OK) {
        return error;
      }
    }
    end = parameters.end();
    return parameters.error();
  }

  private SipError parameter() {
    if (parameters.is(BRANCH)) {
      if (branchEnd != 0) {
        return SipError.PARAMETER_REPEATED;
      }
      branchStart = parameters.valueStart();
      branchEnd = parameters.valueEnd();
    } else if (parameters.is(RECEIVED)) {
      if (receivedEnd != 0) {
        return SipError.PARAMETER_REPEATED;
      }
      receivedStart = parameters.valueStart();
      receivedEnd = parameters.valueEnd();
    } else if (parameters.is(RPORT)) {
      return readRport();
    }
    maddr |= parameters.is(MADDR);
    keep |= parameters.is(KEEP);
    return SipError.OK;
  }

  private SipError readRport() {
    if (rport != RPORT_ABSENT) {
      return SipError.PARAMETER_REPEATED;
    }
    rport = RPORT_ASKED;
    if (parameters.hasValue()) {
      rport = SipHost.port(buffer, parameters.valueStart(), parameters.valueEnd());
      return rport < 0 ? SipError.PARAMETER : SipError.OK;
    }
    return SipError.OK;
  }

  private SipError tail() {
    int comma = Ascii.skipSpace(buffer, end, limit);
    if (comma == limit) {
      return SipError.OK;
    }
    if (buffer.get(comma) != ',') {
      return SipError.PARAMETER;
    }
    nextStart = Ascii.skipSpace(buffer, comma + 1, limit);
    return nextStart == limit ? SipError.VIA_PROTOCOL : SipError.OK;
  }

  public int transportStart() {
    return transportStart;
  }

  public int transportEnd() {
    return transportEnd;
  }

  /** The sent-by. */
  public SipHost host() {
    return host;
  }

  /** Start and end of the branch's value; equal when there is none. */
  public int branchStart() {
    return branchStart;
  }

  public int branchEnd() {
    return branchEnd;
  }

  /** Start and end of the value of {@code received}; equal when there is none. */
  public int receivedStart() {
    return receivedStart;
  }

  public int receivedEnd() {
    return receivedEnd;
  }

  /** {@link #RPORT_ABSENT}, {@link #RPORT_ASKED} or the port that somebody filled in. */
  public int rport() {
    return rport;
  }

  public boolean hasMaddr() {
    return maddr;
  }

  /** Tells whether {@code keep} (RFC 6223) is there. */
  public boolean hasKeep() {
    return keep;
  }

  /** Returns the offset of the parameters, behind the sent-by. */
  public int parametersStart() {
    return parametersStart;
  }

  /** End of the last parameter, without the white space behind it. */
  public int end() {
    return end;
  }

  /** Returns the offset of the next via-parm of this value, or -1. */
  public int nextStart() {
    return nextStart;
  }
}
