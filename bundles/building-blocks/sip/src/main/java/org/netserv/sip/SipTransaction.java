// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The key of a message's transaction, one 64-bit hash (RFC 3261, 17.1.3 and 17.2.3):
 *
 * <pre>
 *   branch with z9hG4bK     branch, sent-by of the topmost Via, method
 *   any other (RFC 2543)    topmost Via's branch and sent-by, Call-ID, From tag, CSeq number, method
 * </pre>
 *
 * The method is that of CSeq, so a response has its request's key. ACK has the key of its INVITE.
 * {@link #invite} is the key of the INVITE that a CANCEL cancels. The Request-URI and the To tag of
 * RFC 2543 are left out, because a response has no Request-URI and the ACK a To tag that its INVITE
 * has not.
 *
 * <p>The hash begins with a secret of the owner, so a sender cannot choose messages that collide.
 */
public final class SipTransaction {
  private static final byte[] COOKIE = "z9hG4bK".getBytes(StandardCharsets.US_ASCII);
  private static final long FACTOR = 0x9e3779b97f4a7c15L;

  private final long secret;
  private final SipVia top = new SipVia();
  private final SipAddress from = new SipAddress();
  private final SipAddress to = new SipAddress();
  private final SipCseq cseq = new SipCseq();
  private SipMethod method = SipMethod.OTHER;
  private long base;
  private long key;
  private boolean cookie;

  /**
   * Makes a reader of keys.
   *
   * @param secret random, the same for all keys that are compared
   */
  public SipTransaction(long secret) {
    this.secret = secret;
  }

  /** Reads the five values of a scanned message that a key needs. */
  public SipError reset(ByteBuffer buffer, SipScanner message) {
    if (!message.has(SipHeader.VIA)) {
      return SipError.VIA_PROTOCOL;
    }
    int via = message.first(SipHeader.VIA);
    SipError error = top.reset(buffer, message.valueStart(via), message.valueEnd(via));
    error = error == SipError.OK ? sequence(buffer, message) : error;
    error = error == SipError.OK ? address(from, buffer, message, SipHeader.FROM) : error;
    error = error == SipError.OK ? address(to, buffer, message, SipHeader.TO) : error;
    if (error == SipError.OK && !message.hasOne(SipHeader.CALL_ID)) {
      error = SipError.HEADER_NAME;
    }
    if (error == SipError.OK) {
      hash(buffer, message);
    }
    return error;
  }

  private SipError sequence(ByteBuffer buffer, SipScanner message) {
    int at = message.first(SipHeader.CSEQ);
    if (!message.hasOne(SipHeader.CSEQ)
        || cseq.reset(buffer, message.valueStart(at), message.valueEnd(at)) != SipError.OK) {
      return SipError.CSEQ_NUMBER;
    }
    method = SipMethod.of(buffer, cseq.methodStart(), cseq.methodEnd());
    return message.isRequest() && !isOwnMethod(buffer, message)
        ? SipError.CSEQ_METHOD
        : SipError.OK;
  }

  /** Compares the method of CSeq with that of the start line (RFC 3261, 8.1.1.5). */
  private boolean isOwnMethod(ByteBuffer buffer, SipScanner message) {
    int length = cseq.methodEnd() - cseq.methodStart();
    int start = message.messageStart();
    boolean same = message.methodEnd() - start == length;
    for (int i = 0; same && i < length; i++) {
      same = buffer.get(start + i) == buffer.get(cseq.methodStart() + i);
    }
    return same;
  }

  private static SipError address(
      SipAddress address, ByteBuffer buffer, SipScanner message, SipHeader header) {
    int at = message.first(header);
    return message.hasOne(header)
        ? address.reset(buffer, message.valueStart(at), message.valueEnd(at))
        : SipError.ADDRESS;
  }

  private void hash(ByteBuffer buffer, SipScanner message) {
    int start = top.branchStart();
    int end = top.branchEnd();
    cookie =
        end - start > COOKIE.length && Ascii.equal(buffer, start, start + COOKIE.length, COOKIE);
    long hash = add(secret, buffer, start, end);
    hash = addLower(hash, buffer, top.host().start(), top.host().hostEnd());
    hash = mix(hash + top.host().port());
    if (!cookie) {
      int id = message.first(SipHeader.CALL_ID);
      hash = add(hash, buffer, message.valueStart(id), message.valueEnd(id));
      hash = add(hash, buffer, from.tagStart(), from.tagEnd());
      hash = mix(hash + cseq.number());
    }
    base = hash;
    SipMethod keyed = method == SipMethod.ACK ? SipMethod.INVITE : method;
    key =
        keyed == SipMethod.OTHER
            ? add(hash, buffer, cseq.methodStart(), cseq.methodEnd()) | 1
            : of(keyed);
  }

  private long of(SipMethod keyed) {
    return mix(base ^ (keyed.index() + 1) * FACTOR) | 1;
  }

  private static long add(long before, ByteBuffer buffer, int start, int end) {
    long hash = before + end - start;
    for (int i = start; i < end; i += Long.BYTES) {
      hash = mix(hash ^ Ascii.word(buffer, i, end));
    }
    return hash;
  }

  private static long addLower(long before, ByteBuffer buffer, int start, int end) {
    long hash = before + end - start;
    for (int i = start; i < end; i += Long.BYTES) {
      hash = mix(hash ^ ByteWords.lower(Ascii.word(buffer, i, end)));
    }
    return hash;
  }

  private static long mix(long value) {
    long hash = value * FACTOR;
    return hash ^ hash >>> 29;
  }

  /** Returns the key, which is never 0. */
  public long key() {
    return key;
  }

  /** Returns the key of the INVITE with this message's branch or identifiers. Never 0. */
  public long invite() {
    return of(SipMethod.INVITE);
  }

  /** Tells whether the branch is unique as RFC 3261 wants it. */
  public boolean hasCookie() {
    return cookie;
  }

  /** Returns the method of CSeq, OTHER for a method without a constant. */
  public SipMethod method() {
    return method;
  }

  /** Returns the topmost via-parm. */
  public SipVia top() {
    return top;
  }

  public SipAddress from() {
    return from;
  }

  public SipAddress to() {
    return to;
  }

  public SipCseq cseq() {
    return cseq;
  }
}
