// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.nio.ByteBuffer;
import java.util.List;
import org.netserv.overload.TransactionMachine.Event;
import org.netserv.packet.Packet;
import org.netserv.sip.SipError;
import org.netserv.sip.SipHeader;
import org.netserv.sip.SipMethod;
import org.netserv.sip.SipPriority;
import org.netserv.sip.SipScanner;
import org.netserv.sip.SipTransaction;

/**
 * One SIP message of a packet or a stream, as much of it as the edge needs: its transaction, its
 * event and its rank. Made once, pointed at each packet by {@link #reset}, and at a stream's bytes
 * by {@link #resetStream}.
 *
 * <p>A transaction belongs to one server. The key therefore has the server's address and port in
 * it, the packet's destination for a request and its source for a response. A response from
 * anywhere else finds no transaction.
 */
final class Message {
  private static final int FINAL = 200;
  private static final long FACTOR = 0x9e3779b97f4a7c15L;

  private final SipScanner scanner = new SipScanner();
  private final SipTransaction values;
  private final SipPriority priority = new SipPriority();
  private final byte[][] preferred;
  private ByteBuffer buffer;
  private SipError error = SipError.OK;
  private long server;

  Message(long secret, List<byte[]> preferred) {
    values = new SipTransaction(secret);
    this.preferred = preferred.toArray(byte[][]::new);
  }

  /** Reads a packet's payload. Returns the reason to pass it unread, or null. */
  Why reset(Packet packet) {
    buffer = packet.buffer();
    int start = packet.start() + packet.payloadOffset();
    error = scanner.reset(buffer, start, start + packet.payloadLength());
    if (error != SipError.OK) {
      return Why.MALFORMED;
    }
    server = server(packet, scanner.isRequest());
    return read();
  }

  /**
   * Scans the first message of bytes of a stream, see {@link SipScanner#resetStream}. When that is
   * OK, {@link #read} has to follow.
   *
   * @param stream number of the stream. A transaction belongs to one stream, because responses come
   *     back by the stream that the request came by (RFC 3261, 18.2.2)
   */
  SipError resetStream(ByteBuffer bytes, int start, int end, long stream) {
    buffer = bytes;
    error = scanner.resetStream(bytes, start, end);
    server = mix(stream);
    return error;
  }

  /** Reads the values that the edge needs. Returns the reason to pass the message, or null. */
  Why read() {
    if (scanner.hasBareLf()) {
      return Why.BARE_LF; // a response copies values, and must not copy a foreign line end
    }
    return values.reset(buffer, scanner) == SipError.OK ? null : Why.NO_KEY;
  }

  private static long server(Packet packet, boolean request) {
    long high = request ? packet.destinationHigh() : packet.sourceHigh();
    long low = request ? packet.destinationLow() : packet.sourceLow();
    int port = request ? packet.destinationPort() : packet.sourcePort();
    return mix((high * FACTOR ^ low) * FACTOR + port);
  }

  private static long mix(long value) {
    long hash = value * FACTOR;
    return hash ^ hash >>> 31;
  }

  boolean isRequest() {
    return scanner.isRequest();
  }

  /** Returns the key of the transaction that decides, which is the INVITE for ACK and CANCEL. */
  long key() {
    boolean cancel = isRequest() && values.method() == SipMethod.CANCEL;
    long key = cancel ? values.invite() : values.key();
    return (key ^ server) | 1;
  }

  Event event() {
    if (!isRequest()) {
      return scanner.status() < FINAL ? Event.PROVISIONAL : Event.FINAL;
    }
    return switch (values.method()) {
      case ACK -> Event.ACK;
      case CANCEL -> Event.CANCEL;
      default -> Event.REQUEST;
    };
  }

  /** Returns a request's preference. */
  Rank rank() {
    return switch (values.method()) {
      case ACK, CANCEL, BYE, PRACK -> Rank.EXEMPT;
      default -> values.to().hasTag() ? Rank.DIALOG : newcomer();
    };
  }

  private Rank newcomer() {
    return isEmergency() || isPreferred() ? Rank.HIGH : Rank.NORMAL;
  }

  private boolean isEmergency() {
    return SipPriority.isEmergency(buffer, scanner.uriStart(), scanner.uriEnd())
        || SipPriority.isEmergency(buffer, values.to().uriStart(), values.to().uriEnd());
  }

  private boolean isPreferred() {
    for (int i = scanner.first(SipHeader.RESOURCE_PRIORITY); i >= 0; i = scanner.next(i)) {
      priority.reset(buffer, scanner.valueStart(i), scanner.valueEnd(i));
      while (priority.next()) {
        for (byte[] namespace : preferred) {
          if (priority.isNamespace(namespace)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  /** Returns the fault of the last MALFORMED message. */
  SipError error() {
    return error;
  }

  ByteBuffer buffer() {
    return buffer;
  }

  SipScanner scanner() {
    return scanner;
  }

  SipTransaction values() {
    return values;
  }
}
