// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The overload control parameters of one via-parm (RFC 7339, 4 and 9):
 *
 * <pre>
 *   request    ;oc;oc-algo="loss"                                     the client's offer
 *   response   ;oc=20;oc-algo="loss";oc-validity=500;oc-seq=1282321615.782
 * </pre>
 *
 * The first malformed or repeated parameter makes all of them unusable. Parameters of other names
 * are passed over.
 */
public final class SipOverload {
  /** Value of a parameter that is absent, or of {@code oc} without a value. */
  public static final int ABSENT = -1;

  /** The validity in milliseconds that holds when a response has none (RFC 7339, 4.3). */
  public static final int VALIDITY_DEFAULT = 500;

  /** Digits of the fraction of {@code oc-seq}. */
  private static final int FRACTION_DIGITS = 5;

  private static final int SECONDS_DIGITS = 12;
  private static final long FRACTION = 100_000;
  private static final int NUMBER_DIGITS = 9;

  private static final byte[] OC = ascii("oc");
  private static final byte[] ALGORITHM = ascii("oc-algo");
  private static final byte[] VALIDITY = ascii("oc-validity");
  private static final byte[] SEQUENCE = ascii("oc-seq");

  private final SipParameters parameters = new SipParameters();
  private ByteBuffer buffer;
  private boolean offered;
  private int oc;
  private int validity;
  private long sequence;
  private int algorithmStart;
  private int algorithmEnd;
  private int firstStart;

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Reads the parameters of a via-parm that {@link SipVia} has read. */
  public SipError reset(ByteBuffer bytes, SipVia via) {
    return reset(bytes, via.parametersStart(), via.end());
  }

  /** Reads the parameters {@code [start, stop)} of a via-parm. */
  public SipError reset(ByteBuffer bytes, int start, int stop) {
    buffer = bytes;
    offered = false;
    oc = ABSENT;
    validity = ABSENT;
    sequence = ABSENT;
    algorithmStart = algorithmEnd = start;
    firstStart = ABSENT;
    parameters.reset(bytes, start, stop);
    while (parameters.next()) {
      SipError error = parameter();
      if (error != SipError.OK) {
        return error;
      }
    }
    return parameters.error();
  }

  private SipError parameter() {
    if (parameters.is(OC)) {
      return readOc();
    }
    if (parameters.is(ALGORITHM)) {
      return readAlgorithm();
    }
    if (parameters.is(VALIDITY)) {
      return readValidity();
    }
    return parameters.is(SEQUENCE) ? readSequence() : SipError.OK;
  }

  private SipError readOc() {
    if (offered) {
      return SipError.PARAMETER_REPEATED;
    }
    offered = true;
    found();
    if (!parameters.hasValue()) {
      return SipError.OK;
    }
    oc = number();
    return oc < 0 ? SipError.PARAMETER : SipError.OK;
  }

  private SipError readValidity() {
    if (validity != ABSENT) {
      return SipError.PARAMETER_REPEATED;
    }
    found();
    validity = number();
    return validity < 0 ? SipError.PARAMETER : SipError.OK;
  }

  /** Reads the value of oc-algo, a quoted list of tokens. A bare token is taken as well. */
  private SipError readAlgorithm() {
    if (hasAlgorithm()) {
      return SipError.PARAMETER_REPEATED;
    }
    found();
    int start = parameters.valueStart();
    int end = parameters.valueEnd();
    if (end > start && buffer.get(start) == '"') {
      start++;
      end--;
    }
    algorithmStart = start;
    algorithmEnd = end;
    return end > start ? SipError.OK : SipError.PARAMETER;
  }

  /** oc-seq = 1*12DIGIT "." 1*5DIGIT. The fraction is filled up to five digits. */
  private SipError readSequence() {
    if (sequence != ABSENT) {
      return SipError.PARAMETER_REPEATED;
    }
    found();
    int end = parameters.valueEnd();
    int dot = Ascii.indexOf(buffer, parameters.valueStart(), end, '.');
    long seconds = Ascii.number(buffer, parameters.valueStart(), dot, SECONDS_DIGITS);
    long fraction = dot < end ? Ascii.number(buffer, dot + 1, end, FRACTION_DIGITS) : -1;
    if (seconds < 0 || fraction < 0) {
      return SipError.PARAMETER;
    }
    for (int digits = end - dot - 1; digits < FRACTION_DIGITS; digits++) {
      fraction *= 10;
    }
    sequence = seconds * FRACTION + fraction;
    return SipError.OK;
  }

  private int number() {
    return (int)
        Ascii.number(buffer, parameters.valueStart(), parameters.valueEnd(), NUMBER_DIGITS);
  }

  private void found() {
    firstStart = firstStart == ABSENT ? parameters.nameStart() : firstStart;
  }

  /** Tells whether {@code oc} is there, with or without a value. */
  public boolean isOffered() {
    return offered;
  }

  /** Returns the value of {@code oc}, 0 to 999,999,999, or ABSENT. */
  public int oc() {
    return oc;
  }

  /** Returns the value of {@code oc-validity} in milliseconds, or ABSENT. */
  public int validity() {
    return validity;
  }

  /** Returns {@code oc-seq} in units of 10 microseconds, or ABSENT. */
  public long sequence() {
    return sequence;
  }

  public boolean hasAlgorithm() {
    return algorithmEnd > algorithmStart;
  }

  /** Start and end of the list of algorithms, without the quotes; equal when there is none. */
  public int algorithmStart() {
    return algorithmStart;
  }

  public int algorithmEnd() {
    return algorithmEnd;
  }

  /** Tells whether the list of algorithms is this one token, given in lower case. */
  public boolean isAlgorithm(byte[] lower) {
    return Ascii.equalIgnoreCase(buffer, algorithmStart, algorithmEnd, lower);
  }

  /** Returns the offset of the name of the first of these parameters, or ABSENT. */
  public int firstStart() {
    return firstStart;
  }
}
