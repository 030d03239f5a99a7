// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import org.netserv.sip.SipError;
import org.netserv.sip.stream.StreamBrokenException;
import org.netserv.sip.stream.StreamPair;

/**
 * A user's connection with its connection to the server. Messages travel whole, so the edge's
 * responses stand between two messages of the server.
 *
 * <pre>
 *   user ---> StreamCutter --- StreamEdge ---> toServer ---> server
 *                                  | 503
 *   user <--- toUser <-------------+---------- StreamCutter <--- server
 * </pre>
 *
 * <p>While the server takes no bytes, new requests are rejected here, and only those that must not
 * be rejected wait for it, at most {@link #WAITING_MOST} bytes of them. A user that does not read
 * is not read either.
 */
final class UserStream extends StreamPair {
  /** Bytes that may wait for the server before its user is not read any more. */
  private static final int WAITING_MOST = 1 << 18;

  private final UserStreams streams;
  private final long high;
  private final long low;
  private final int port;
  private final long number;
  private final StreamCutter fromUser = new StreamCutter();
  private final StreamCutter fromServer = new StreamCutter();
  private final StreamCutter.Taker requests = new Requests();
  private final StreamCutter.Taker responses = new Responses();

  /**
   * @param number another one for each stream
   */
  UserStream(Opening opening, UserStreams streams, long number) throws IOException {
    super(opening);
    this.streams = streams;
    this.number = number;
    port = user().getPort();
    ByteBuffer bytes = mapped(user().getAddress());
    high = bytes.getLong(0);
    low = bytes.getLong(Long.BYTES);
  }

  private static ByteBuffer mapped(InetAddress address) {
    byte[] bytes = address.getAddress();
    ByteBuffer all = ByteBuffer.allocate(2 * Long.BYTES);
    return bytes.length == all.capacity()
        ? all.put(bytes)
        : all.putLong(0).putInt(0xffff).put(bytes);
  }

  @Override
  protected boolean takesFromUser() {
    return toServer().waiting() < WAITING_MOST && toUser().isEmpty();
  }

  /**
   * Reads each side and writes what it leads to.
   *
   * @throws StreamBrokenException if a side sends what is no SIP
   */
  @Override
  protected void move() throws IOException {
    StreamRoom room = streams.room();
    if (userReady()) {
      readUser(room.in(fromUser));
      SipError error = cut(fromUser, requests);
      toUser().send(room.answers());
      toServer().send(room.onward());
      require(error);
    }
    if (serverReady()) {
      readServer(room.in(fromServer));
      SipError error = cut(fromServer, responses);
      toUser().send(room.onward());
      require(error);
    }
  }

  private SipError cut(StreamCutter cutter, StreamCutter.Taker taker) {
    return cutter.cut(streams.room().in(), streams.edge().message(), number, taker);
  }

  private void require(SipError error) throws StreamBrokenException {
    if (error != SipError.OK) {
      streams.edge().fault(error);
      throw new StreamBrokenException(error);
    }
  }

  private final class Requests implements StreamCutter.Taker {
    @Override
    public void between(ByteBuffer bytes, int start, int end) {
      streams.room().pass(start, end);
    }

    @Override
    public void message(ByteBuffer bytes, int start, int end) {
      boolean open = toServer().isEmpty();
      if (streams.edge().fromUser(high, low, port, open, streams.room().answer())) {
        streams.room().pass(start, end);
      }
    }
  }

  private final class Responses implements StreamCutter.Taker {
    @Override
    public void between(ByteBuffer bytes, int start, int end) {
      streams.room().pass(start, end);
    }

    @Override
    public void message(ByteBuffer bytes, int start, int end) {
      streams.edge().fromServer();
      streams.room().pass(start, end);
    }
  }
}
