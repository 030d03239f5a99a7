// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.nio.ByteBuffer;
import org.netserv.sip.SipError;
import org.netserv.sip.SipScanner;

/**
 * One direction of an agent's TCP stream: cuts the bytes into SIP messages, and finds the pings and
 * pongs between them (RFC 5626, 4.4.1). All bytes leave as they came and in their order, but for
 * pings that the {@link Judge} answers. Messages leave whole, so that whoever adds bytes to the
 * outgoing stream adds them between two messages.
 *
 * <pre>
 *   between   CRLFCRLF   ping of an agent: the judge forwards it, or not
 *             CRLF       pong of a server, or a line end before a message: forwarded, and told of
 *   message   head, Content-Length, body: forwarded when it is whole
 *   opaque    from the first byte on that is neither, or a message of more than 64 KiB: forwarded
 * </pre>
 *
 * An opaque stream stays one, since nobody knows where its next message begins. Its pings are the
 * server's to answer. Belongs to one thread.
 */
final class StreamSide {
  /** Decides about pings, and hears of pongs. */
  interface Judge {
    /** Returns true if the ping is to be forwarded. */
    boolean ping();

    /** Takes note of CRLF between two messages. */
    void lineEnd();
  }

  static final int MESSAGE_MOST = 1 << 16;

  private static final int FIRST_CAPACITY = 4096;
  private static final byte CR = '\r';
  private static final byte LF = '\n';

  private final SipScanner scanner;
  private final boolean pings;
  private final Judge judge;
  private ByteBuffer kept = ByteBuffer.allocate(FIRST_CAPACITY); // from 0 to its position
  private boolean opaque;

  /**
   * @param scanner may be shared by all streams of a thread
   * @param pings whether CRLFCRLF is one ping, as from an agent, and not two pongs
   */
  StreamSide(SipScanner scanner, boolean pings, Judge judge) {
    this.scanner = scanner;
    this.pings = pings;
    this.judge = judge;
  }

  boolean isOpaque() {
    return opaque;
  }

  /** Returns the buffer to read into. It has room. */
  ByteBuffer room() {
    return kept;
  }

  /**
   * Moves what may leave to {@code out}, which has at least {@link #MESSAGE_MOST} bytes of room.
   * Afterwards {@link #room} has room again.
   */
  void move(ByteBuffer out) {
    int end = kept.position();
    int at = 0;
    while (at < end && !opaque) {
      int next = isLineByte(kept.get(at)) ? between(at, end) : message(at, end);
      if (next == at) {
        break; // more bytes are needed
      }
      if (next > 0) {
        copy(at, next, out);
      }
      at = Math.abs(next);
    }
    if (opaque) {
      copy(at, end, out);
      at = end;
    }
    kept.limit(end).position(at);
    kept.compact();
    makeRoom(out);
  }

  private void makeRoom(ByteBuffer out) {
    if (kept.hasRemaining()) {
      return;
    }
    if (kept.capacity() < MESSAGE_MOST) {
      ByteBuffer larger = ByteBuffer.allocate(2 * kept.capacity());
      kept = larger.put(kept.flip());
      return;
    }
    opaque = true;
    copy(0, kept.position(), out);
    kept.clear();
  }

  private void copy(int from, int to, ByteBuffer out) {
    out.put(out.position(), kept, from, to - from);
    out.position(out.position() + to - from);
  }

  private static boolean isLineByte(byte value) {
    return value == CR || value == LF;
  }

  /**
   * Reads line ends between messages.
   *
   * @return index behind what may leave; negative: behind what was answered; {@code at}: more bytes
   *     are needed
   */
  private int between(int at, int end) {
    int same = 0;
    while (same < 4 && at + same < end && kept.get(at + same) == (same % 2 == 0 ? CR : LF)) {
      same++;
    }
    boolean all = at + same == end; // everything there is may still become a ping
    if (!pings) {
      return same >= 2 ? told(at + 2) : all ? at : broken(at);
    }
    if (same == 4) {
      return judge.ping() ? at + 4 : -(at + 4);
    }
    if (all) {
      return at;
    }
    return same == 2 ? told(at + 2) : broken(at);
  }

  private int told(int next) {
    judge.lineEnd();
    return next;
  }

  private int broken(int at) {
    opaque = true;
    return at;
  }

  private int message(int at, int end) {
    SipError error = scanner.resetStream(kept, at, end);
    if (error == SipError.OK) {
      return scanner.bodyEnd();
    }
    return error == SipError.MORE ? at : broken(at);
  }
}
