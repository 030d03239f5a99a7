// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.concurrent.locks.LockSupport;

/**
 * Plays one SIP user agent: {@code KeepAliveStream ADDRESS PORT RATE COUNT LOCALPORT
 * [until-eof|alone]}. The agent sends keep-alives at an even rate. Before and after them it sends
 * one request that no keep-alive module answers. With {@code alone} it leaves these two requests
 * out. With {@code until-eof} it also leaves them out, and ends early when its standard input ends.
 *
 * <p>If the agent itself pauses, it delays the later keep-alives. It does not send them in a burst,
 * because a burst would measure the room in queues.
 *
 * <p>Only answers from the server's address and port count, because the socket is connected.
 *
 * <p>It prints {@code sent= answered= others= through= gap= millis=}: keep-alives sent, keep-alives
 * answered with 200, other requests sent, other requests answered at all (0-2), the longest time
 * without an answer, and the duration of sending. Both times are in milliseconds.
 */
public final class KeepAliveStream {
  private static final long WAIT_NANOS = 1_000_000_000L;

  /**
   * Size of the receive buffer. The node must not be blamed for answers that arrive while this
   * program does not run.
   */
  private static final int RECEIVE_BYTES = 4 << 20;

  /** Delay from which on the sender counts as paused. */
  private static final long PAUSE_NANOS = 10_000_000L;

  private static final byte[] STATUS = bytes("SIP/2.0 ");
  private static final byte[] OK = bytes("200");
  private static final byte[] CSEQ = bytes("\r\nCSeq: ");
  private static final byte[] OTHER = bytes(" MESSAGE");

  /**
   * Offset of the first keep-alive's CSeq. The two requests that no module answers come before it.
   */
  private static final int KEEP_ALIVES = 10;

  private final DatagramChannel channel;
  private final byte[] call;
  private final SipRequest keepAlive;
  private final SipRequest message;
  private final ByteBuffer in = ByteBuffer.allocateDirect(4096);
  private final BitSet answered = new BitSet();
  private final BitSet through = new BitSet();
  private long lastAnswer;
  private long longestGap;
  private volatile boolean enough;
  private boolean alone;
  private int others;

  private KeepAliveStream(DatagramChannel channel, InetSocketAddress to) throws IOException {
    this.channel = channel;
    String server = text(to);
    String local = text((InetSocketAddress) channel.getLocalAddress());
    String id = Long.toHexString(System.nanoTime()) + "@lab";
    call = bytes(id);
    keepAlive = new SipRequest("NOTIFY", server, local, id, "Event: keep-alive\r\n");
    message = new SipRequest("MESSAGE", server, local, id, "");
  }

  private static String text(InetSocketAddress address) {
    String host = address.getAddress().getHostAddress();
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
  }

  public static void main(String[] args) throws IOException {
    InetSocketAddress to = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
    try (DatagramChannel channel = DatagramChannel.open()) {
      channel.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BYTES);
      channel.bind(new InetSocketAddress(Integer.parseInt(args[4])));
      channel.connect(to);
      channel.configureBlocking(false);
      KeepAliveStream stream = new KeepAliveStream(channel, to);
      String more = args.length > 5 ? args[5] : "";
      if (more.equals("until-eof")) {
        stream.endWithInput();
      }
      stream.alone = !more.isEmpty();
      stream.run(Integer.parseInt(args[2]), Integer.parseInt(args[3]));
    }
  }

  private void endWithInput() {
    Thread thread =
        new Thread(
            () -> {
              try {
                System.in.transferTo(OutputStream.nullOutputStream());
              } catch (IOException e) {
                // An error on standard input is an end of it, too.
              }
              enough = true;
            });
    thread.setDaemon(true);
    thread.start();
  }

  private void run(int rate, int most) throws IOException {
    if (most > SipRequest.LIMIT - SipRequest.FIRST - KEEP_ALIVES) {
      throw new IllegalArgumentException("COUNT: " + most + " are more than there are CSeq");
    }
    other(1);
    long start = System.nanoTime();
    lastAnswer = start;
    int count = 0;
    long paused = 0;
    for (int i = 0; i < most && !enough; i++, count++) {
      long due = start + paused + i * 1_000_000_000L / rate;
      await(due);
      long late = System.nanoTime() - due;
      paused += late > PAUSE_NANOS ? late : 0;
      send(keepAlive, SipRequest.FIRST + KEEP_ALIVES + i);
    }
    long millis = (System.nanoTime() - start) / 1_000_000;
    long end = System.nanoTime() + WAIT_NANOS;
    while (answered.cardinality() < count && System.nanoTime() < end) {
      await(System.nanoTime() + 1_000_000);
    }
    // Silence at the end counts if the last keep-alive got no answer.
    if (!answered.get(count + KEEP_ALIVES - 1)) {
      longestGap = Math.max(longestGap, System.nanoTime() - lastAnswer);
    }
    other(2);
    System.out.printf(
        "sent=%d answered=%d others=%d through=%d gap=%d millis=%d%n",
        count,
        answered.cardinality(),
        others,
        through.cardinality(),
        longestGap / 1_000_000,
        millis);
  }

  /** Sends a request that has to reach the server, and repeats it until it is answered. */
  private void other(int place) throws IOException {
    for (int i = 0; i < 5 && !alone && !through.get(place); i++, others++) {
      send(message, SipRequest.FIRST + place);
      long end = System.nanoTime() + WAIT_NANOS / 2;
      while (!through.get(place) && System.nanoTime() < end) {
        await(System.nanoTime() + 1_000_000);
      }
    }
  }

  private void send(SipRequest request, int cseq) {
    try {
      channel.write(request.with(cseq));
    } catch (IOException e) {
      // An ICMP error about an earlier datagram. It keeps this datagram from being sent, so its
      // answer will be missing.
      return;
    }
  }

  /** Takes answers until that time. */
  private void await(long until) {
    while (true) {
      receive();
      long left = until - System.nanoTime();
      if (left <= 0) {
        return;
      }
      LockSupport.parkNanos(Math.min(left, 500_000));
    }
  }

  private void receive() {
    try {
      while (channel.read(in.clear()) > 0) {
        answer(in.flip());
      }
    } catch (IOException e) {
      // An ICMP error. The next read is a new chance.
      return;
    }
  }

  private void answer(ByteBuffer message) {
    int at = find(message, CSEQ, 0);
    if (!starts(message, 0, STATUS) || at < 0 || find(message, call, 0) < 0) {
      return;
    }
    int cseq = 0;
    int i = at + CSEQ.length;
    for (;
        i < message.limit() && Character.isDigit(message.get(i)) && cseq < SipRequest.LIMIT;
        i++) {
      cseq = 10 * cseq + message.get(i) - '0';
    }
    if (cseq < SipRequest.FIRST || cseq >= SipRequest.LIMIT) {
      return;
    }
    if (starts(message, i, OTHER)) {
      through.set(cseq - SipRequest.FIRST);
    } else if (starts(message, STATUS.length, OK)) {
      long now = System.nanoTime();
      longestGap = Math.max(longestGap, now - lastAnswer);
      lastAnswer = now;
      answered.set(cseq - SipRequest.FIRST);
    }
  }

  private static int find(ByteBuffer message, byte[] what, int from) {
    for (int i = from; i <= message.limit() - what.length; i++) {
      if (starts(message, i, what)) {
        return i;
      }
    }
    return -1;
  }

  private static boolean starts(ByteBuffer message, int at, byte[] what) {
    if (message.limit() - at < what.length) {
      return false;
    }
    for (int i = 0; i < what.length; i++) {
      if (message.get(at + i) != what[i]) {
        return false;
      }
    }
    return true;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
