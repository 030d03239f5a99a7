// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import java.net.Inet4Address;
import java.nio.ByteBuffer;
import java.util.List;
import org.netserv.gist.wire.CommonHeader;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.GistObject;
import org.netserv.gist.wire.Magic;
import org.netserv.gist.wire.MessageType;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.PathCoupledMri;
import org.netserv.gist.wire.QueryCookie;
import org.netserv.gist.wire.ResponderCookie;
import org.netserv.gist.wire.SessionId;
import org.netserv.nslp.NslpMessage;

/**
 * Queries and Confirms of very many sessions. They are cheap to make, so that the bench measures
 * the node and not itself. One message of each kind is encoded, and only these fields change in its
 * copies. The messages are IPv4 with the magic number, and offsets are in bytes:
 *
 * <pre>
 *     0 magic | 4 common header | 12 head of MRI, 16 its value, 32 source port, 34 destination port
 *    36 head of SID, 40 the session: 8 bytes mixed from its number, 4 of the run, 4 the number
 *    56 head of NLI, 60 its value with 16 bytes of identity
 *    88 head of Query-Cookie, 92 its 16 bytes          (Query)
 *    88 head of Responder-Cookie, 92 its 32 bytes      (Confirm)
 * </pre>
 *
 * Session n is the flow between ports 1 + n mod 65535 and 1 + n / 65535.
 */
final class HandshakeBytes {
  static final int COOKIE = 16;

  private static final int PORTS = 32;
  private static final int SESSION = 40;
  private static final int LAST_OBJECT = 88;
  private static final int LAST_VALUE = 92;
  private static final int HOPS = 64;
  private static final int TTL = 64;
  private static final int UDP = 17;
  private static final int PORT_MAX = 65_535;

  private final byte[] query;
  private final byte[] confirm;
  private final int run;

  /**
   * Encodes the messages from one host to another.
   *
   * @param validity that the Queries propose, ms
   * @param cookieLength of the node's Responder-Cookies, bytes
   * @param run number that tells the sessions of this run from the sessions of other runs
   */
  HandshakeBytes(
      Inet4Address from,
      Inet4Address to,
      long validity,
      int cookieLength,
      byte[] identity,
      int run) {
    if (identity.length != COOKIE) {
      throw new IllegalArgumentException("identity of " + identity.length + " bytes");
    }
    this.run = run;
    PathCoupledMri mri = new PathCoupledMri(from, 32, to, 32, UDP, -1, -1, -1, 1, 1, false);
    SessionId session = new SessionId(new byte[SessionId.BYTES]);
    NetworkLayerInfo info = new NetworkLayerInfo(TTL, validity, identity, from);
    query = bytes(MessageType.QUERY, true, mri, session, info, new QueryCookie(new byte[COOKIE]));
    confirm =
        bytes(
            MessageType.CONFIRM,
            false,
            mri,
            session,
            info,
            new ResponderCookie(new byte[cookieLength]));
  }

  private static byte[] bytes(MessageType type, boolean query, GistObject... objects) {
    CommonHeader header =
        new CommonHeader(HOPS, NslpMessage.NSLP_ID, type, query, true, query, false);
    return Magic.wrap(new GistMessage(header, List.of(objects)).encode());
  }

  /** Puts the Query of a session's exchange into a buffer and prepares the buffer for reading. */
  void query(ByteBuffer out, int session, int exchange) {
    start(out, query, session);
    out.putLong(LAST_VALUE, cookie(session, exchange));
    out.putLong(LAST_VALUE + 8, cookie(exchange, session));
  }

  /**
   * Puts the Confirm that echoes the node's cookie into a buffer and prepares the buffer for
   * reading.
   */
  void confirm(ByteBuffer out, int session, Answer answer) {
    start(out, confirm, session);
    out.put(LAST_VALUE, answer.buffer(), answer.cookieAt(), confirm.length - LAST_VALUE);
  }

  private void start(ByteBuffer out, byte[] message, int session) {
    out.clear().put(message).flip();
    out.putShort(PORTS, (short) (1 + session % PORT_MAX));
    out.putShort(PORTS + 2, (short) (1 + session / PORT_MAX));
    out.putLong(SESSION, mixed(session));
    out.putInt(SESSION + 8, run);
    out.putInt(SESSION + 12, session);
  }

  int queryLength() {
    return query.length;
  }

  int confirmLength() {
    return confirm.length;
  }

  /** Returns true if the answer carries the query cookie of this exchange. */
  boolean ours(Answer answer, int exchange) {
    ByteBuffer in = answer.buffer();
    int at = answer.queryCookieAt();
    return in.getLong(at) == cookie(answer.session(), exchange)
        && in.getLong(at + 8) == cookie(exchange, answer.session());
  }

  /** Reads a datagram. Returns false if it is not a Response to a session of this run. */
  boolean read(ByteBuffer in, Answer answer) {
    int cookie = confirm.length - LAST_VALUE;
    return answer.read(in)
        && answer.run() == run
        && (answer.cookie() == 0 || answer.cookie() == cookie);
  }

  private long cookie(int a, int b) {
    return mixed((long) a << 32 | (b & 0xffffffffL)) ^ run;
  }

  /**
   * Mixes a number by the last step of SplitMix64. Each bit of the result depends on each bit of
   * the number.
   */
  private static long mixed(long number) {
    long z = number + 0x9e3779b97f4a7c15L;
    z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
    z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
    return z ^ z >>> 31;
  }

  /** Fields of a Response. One object is filled again for each datagram. */
  static final class Answer {
    private static final int RESPONSE = MessageType.RESPONSE.code();
    private static final int LENGTH = 6;
    private static final int TYPE = 10;
    private static final int FIRST_OBJECT = 12;

    private ByteBuffer buffer;
    private int session;
    private int run;
    private long validity;
    private int queryCookieAt;
    private int cookieAt;
    private int cookie;

    private boolean read(ByteBuffer in) {
      buffer = in;
      session = -1;
      cookie = 0;
      queryCookieAt = -1;
      int end = in.limit();
      if (end < LAST_OBJECT
          || in.getInt(0) != Magic.VALUE
          || in.get(TYPE) != RESPONSE
          || end != FIRST_OBJECT + 4 * (in.getShort(LENGTH) & 0xffff)) {
        return false;
      }
      for (int at = FIRST_OBJECT; at + 4 <= end; ) {
        int value = at + 4;
        int next = value + 4 * (in.getShort(at + 2) & 0xfff);
        if (next > end) {
          return false;
        }
        object(in, in.getShort(at) & 0xfff, value, next);
        at = next;
      }
      return session >= 0 && queryCookieAt > 0;
    }

    private void object(ByteBuffer in, int type, int at, int end) {
      if (type == SessionId.TYPE && end - at == SessionId.BYTES) {
        run = in.getInt(at + 8);
        session = in.getInt(at + 12);
      } else if (type == NetworkLayerInfo.TYPE && end - at >= 8) {
        validity = in.getInt(at + 4) & 0xffffffffL;
      } else if (type == QueryCookie.TYPE && end - at == COOKIE) {
        queryCookieAt = at;
      } else if (type == ResponderCookie.TYPE) {
        cookieAt = at;
        cookie = end - at;
      }
    }

    int session() {
      return session;
    }

    private int run() {
      return run;
    }

    /** Returns the validity that the node gives, in milliseconds. */
    long validity() {
      return validity;
    }

    /**
     * Returns true if the Response asks for a Confirm, because the node has no state for this
     * session.
     */
    boolean asksConfirm() {
      return cookie > 0;
    }

    private ByteBuffer buffer() {
      return buffer;
    }

    private int queryCookieAt() {
      return queryCookieAt;
    }

    private int cookieAt() {
      return cookieAt;
    }

    private int cookie() {
      return cookie;
    }
  }
}
