// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.io.Closeable;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.netserv.mediarelay.core.Bucket;
import org.netserv.mediarelay.core.Client;
import org.netserv.mediarelay.core.Ip;
import org.netserv.mediarelay.core.Transport;
import org.netserv.mediarelay.core.Why;
import org.netserv.packet.Tally;

/**
 * Clients by DTLS 1.2 on the relay's UDP ports. A ClientHello without the right cookie leaves
 * nothing behind: an engine that is thrown away computes the HelloVerifyRequest. Handshakes are
 * bounded by source, in number and in time, and so is the number of ClientHellos in a second.
 *
 * <p>The JDK makes cookies from the ClientHello and a secret of the context, not from the address.
 * So the address chooses one of {@link TlsKeys#DTLS_CONTEXTS} contexts, and a cookie is of no use
 * from nearly all other addresses.
 *
 * <p><b>Threads.</b> Whoever holds the relay's lock.
 */
final class DtlsLegs implements Closeable {
  /** Handshakes at once. */
  static final int HALF_OPEN_MOST = 512;

  /** Of one source. */
  static final int HALF_OPEN_SOURCE_MOST = 32;

  /** ClientHellos that are looked at in a second. */
  static final int HELLOS_PER_SECOND = 1000;

  /**
   * Bytes of a DTLS datagram, which an Ethernet carries in one packet of either family. A message
   * in it has at most 1,400 bytes.
   */
  static final int PACKET_MOST = 1452;

  private static final int HELLO_MOST = 4096;
  private static final int CONTENT_LEAST = 20;
  private static final int CONTENT_MOST = 63;
  private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Sends datagrams to clients, from the port that the client has addressed. */
  interface Datagrams {
    /** Returns false if the datagram was dropped. */
    boolean send(Client to, ByteBuffer bytes, int start, int length);
  }

  private final Loop loop;
  private final ClientMessages messages;
  private final Datagrams datagrams;
  private final Tally<Why> tally;
  private TlsKeys keys;
  private final int most;
  private final int seed;
  private final Bucket hellos;
  private final SourceCrowd halfOpen = new SourceCrowd(HALF_OPEN_MOST, HALF_OPEN_SOURCE_MOST);
  private final Map<Flow, DtlsSession> sessions = new HashMap<>();
  private final Flow probe = new Flow();
  private final StreamWork work = new StreamWork();
  private final StreamWork sending = new StreamWork();
  private boolean closed;

  /**
   * @param most sessions at once
   * @param seed random, and nobody else knows it
   */
  DtlsLegs(
      Loop loop,
      ClientMessages messages,
      Datagrams datagrams,
      Tally<Why> tally,
      TlsKeys keys,
      int most,
      int seed) {
    this.loop = loop;
    this.messages = messages;
    this.datagrams = datagrams;
    this.tally = tally;
    this.keys = keys;
    this.most = most;
    this.seed = seed;
    hellos = new Bucket(HELLOS_PER_SECOND, HELLOS_PER_SECOND, loop.nanoTime());
    sweepLater();
  }

  /** Has new sessions take other keys. */
  void keys(TlsKeys with) {
    keys = with;
  }

  /** Tells whether a datagram with this first byte is DTLS (RFC 7983). */
  static boolean isDtls(int first) {
    return first >= CONTENT_LEAST && first <= CONTENT_MOST;
  }

  /**
   * Takes a datagram of a client.
   *
   * @param start index of the first byte
   */
  void received(
      long high, long low, int port, int serverPort, ByteBuffer bytes, int start, int length) {
    DtlsSession session = sessions.get(probe.set(high, low, port, serverPort));
    boolean hello = DtlsHello.isHello(bytes, start, length);
    if (session != null && !(hello && session.isOpen())) {
      session.received(bytes.duplicate().limit(start + length).position(start));
    } else if (hello && length <= HELLO_MOST) {
      stranger(probe.copy(), DtlsHello.read(bytes, start, length));
    } else {
      tally.count(Why.UNKNOWN_CLIENT);
    }
  }

  private void stranger(Flow flow, DtlsHello hello) {
    if (hello == null) {
      tally.count(Why.TLS_FAILED);
    } else if (closed || !hellos.take(1, loop.nanoTime())) {
      tally.count(Why.RATE_LIMITED);
    } else if (hello.isOld()) {
      tally.count(Why.TLS_FAILED);
      send(flow, hello.versionAlert(work.cipher.clear()));
    } else {
      try {
        greet(flow, hello);
      } catch (SSLException e) {
        tally.count(Why.TLS_FAILED);
      }
    }
  }

  /** Asks for the cookie, or begins the session of a client that has shown it. */
  private void greet(Flow flow, DtlsHello hello) throws SSLException {
    SSLEngine engine = keys.dtls(flow.mixed(seed), PACKET_MOST);
    engine.beginHandshake();
    ByteBuffer answer = work.cipher.clear();
    engine.unwrap(hello.hasCookie() ? hello.first() : hello.bytes(), work.plain.clear());
    runTasks(engine); // a digest, and nothing that takes time
    engine.wrap(ByteBuffer.allocate(0), answer);
    answer.flip();
    if (!DtlsHello.isVerifyRequest(answer)) {
      tally.count(Why.TLS_FAILED); // a refusal, to which a stranger gets no answer
    } else if (hello.hasCookie() && hello.hasCookieOf(answer)) {
      begin(flow, hello, engine);
    } else {
      tally.count(Why.DTLS_COOKIE);
      send(flow, answer);
    }
  }

  private void send(Flow flow, ByteBuffer answer) {
    if (answer.hasRemaining()) {
      Client to =
          new Client(Transport.DTLS, flow.high(), flow.low(), flow.port(), flow.serverPort(), null);
      datagrams.send(to, answer, 0, answer.limit());
    }
  }

  private void begin(Flow flow, DtlsHello hello, SSLEngine engine) {
    DtlsSession old = sessions.get(flow);
    if (old != null) {
      old.end(null); // its client has begun anew from the same port
    }
    if (sessions.size() >= most || !halfOpen.enter(flow.high(), flow.low())) {
      tally.count(Why.STREAM_CROWD);
      return;
    }
    DtlsSession session = new DtlsSession(this, flow, engine);
    sessions.put(flow, session);
    session.received(hello.bytes());
  }

  static void runTasks(SSLEngine engine) {
    for (Runnable task = engine.getDelegatedTask(); task != null; ) {
      task.run();
      task = engine.getDelegatedTask();
    }
  }

  private void sweepLater() {
    loop.at(loop.nanoTime() + SWEEP_NANOS, this::sweep);
  }

  private void sweep() {
    if (closed) {
      return;
    }
    long now = loop.nanoTime();
    for (DtlsSession session : sessions.values().toArray(new DtlsSession[0])) {
      session.sweep(now);
    }
    sweepLater();
  }

  int sessionCount() {
    return sessions.size();
  }

  int halfOpenCount() {
    return halfOpen.total();
  }

  // ---- for sessions

  Loop loop() {
    return loop;
  }

  ClientMessages messages() {
    return messages;
  }

  Datagrams datagrams() {
    return datagrams;
  }

  void count(Why what) {
    tally.count(what);
  }

  StreamWork work() {
    return work;
  }

  StreamWork sending() {
    return sending;
  }

  /** A handshake is complete. */
  void opened(Flow flow) {
    halfOpen.leave(flow.high(), flow.low());
  }

  void forget(Flow flow, boolean wasOpen) {
    sessions.remove(flow);
    if (!wasOpen) {
      halfOpen.leave(flow.high(), flow.low());
    }
  }

  /** Ends all. */
  @Override
  public void close() {
    closed = true;
    for (DtlsSession session : sessions.values().toArray(new DtlsSession[0])) {
      session.end(null);
    }
  }

  /** A client's address and port, and the port that it has addressed. */
  static final class Flow {
    private long high;
    private long low;
    private int port;
    private int serverPort;

    Flow set(long newHigh, long newLow, int newPort, int newServerPort) {
      high = newHigh;
      low = newLow;
      port = newPort;
      serverPort = newServerPort;
      return this;
    }

    Flow copy() {
      return new Flow().set(high, low, port, serverPort);
    }

    long high() {
      return high;
    }

    long low() {
      return low;
    }

    int port() {
      return port;
    }

    int serverPort() {
      return serverPort;
    }

    int mixed(int with) {
      return Ip.hash(high, low, port ^ serverPort << 16, with);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Flow that
          && high == that.high
          && low == that.low
          && port == that.port
          && serverPort == that.serverPort;
    }

    @Override
    public int hashCode() {
      return mixed(0);
    }
  }
}
