// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * A querier with very many sessions, each in a few bytes. It makes D-mode handshakes, a number of
 * them at a time, and refreshes the states that it has made.
 *
 * <p>It treats the node as a GIST node does. Each Query has a new cookie, waits double, and
 * refreshes come between half and three quarters of the validity that the node gives. It sends
 * nothing for its own sake.
 *
 * <p>The querier notices a state that the node has lost in two ways. Either the Response to a
 * refresh asks for a Confirm, or no Response comes until the validity is over.
 */
final class Querier implements AutoCloseable {
  private static final int PORT = 270;
  private static final int BUFFER = 4 << 20;
  private static final int BATCH = 64;
  private static final int FIRST_WAIT_MS = 500;
  private static final int LONGEST_WAIT_MS = 4000;
  private static final int COOKIE_LENGTH = 32;

  private enum State {
    NEW,
    ASKING,
    HELD,
    REFRESHING,
    FORGOTTEN
  }

  private final DatagramChannel channel;
  private final Selector selector;
  private final InetSocketAddress target;
  private final InetSocketAddress node;
  private final HandshakeBytes bytes;
  private final HandshakeBytes.Answer answer = new HandshakeBytes.Answer();
  private final ByteBuffer in = ByteBuffer.allocateDirect(2048);
  private final ByteBuffer out = ByteBuffer.allocateDirect(2048);
  private final DueWheel wheel;
  private final Random random = new Random(270);
  private final long start = System.nanoTime();

  private final State[] states;
  private final short[] exchanges;
  private final byte[] tries;
  private final int[] expires;

  private int used;
  private int first;
  private int wanted;
  private int window;
  private int asking;
  private int held;
  private long handshakes;
  private long refreshes;
  private long retransmissions;
  private long reinstalled;
  private long lost;
  private long unsent;
  private long validity;

  /**
   * Makes a querier for at most so many sessions. Its sockets are open when the constructor
   * returns.
   */
  Querier(Inet4Address from, Inet4Address to, Inet4Address node, int sessions) throws IOException {
    int run = new Random().nextInt();
    byte[] identity = new byte[HandshakeBytes.COOKIE];
    new Random(run).nextBytes(identity);
    this.bytes = new HandshakeBytes(from, to, 30_000, COOKIE_LENGTH, identity, run);
    this.target = new InetSocketAddress(to, PORT);
    this.node = new InetSocketAddress(node, PORT);
    wheel = new DueWheel(sessions);
    states = new State[sessions];
    Arrays.fill(states, State.NEW);
    exchanges = new short[sessions];
    tries = new byte[sessions];
    expires = new int[sessions];
    channel = DatagramChannel.open(StandardProtocolFamily.INET);
    channel.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER);
    channel.setOption(StandardSocketOptions.SO_SNDBUF, BUFFER);
    channel.bind(new InetSocketAddress(from, 0)).configureBlocking(false);
    selector = Selector.open();
    channel.register(selector, SelectionKey.OP_READ);
  }

  /** Starts to make this many new sessions, {@code outstanding} at a time. */
  void want(int sessions, int outstanding) {
    first = used;
    wanted = Math.min(sessions, states.length - used);
    window = outstanding;
  }

  /** Makes no more new sessions. Handshakes that are under way go on. */
  void enough() {
    wanted = used - first;
  }

  /** Returns true if all wanted sessions are held. */
  boolean settled() {
    return used - first >= wanted && asking == 0;
  }

  /** Forgets all sessions: stops their refreshes and ignores their Responses from now on. */
  void forgetAll() {
    for (int session = 0; session < used; session++) {
      wheel.cancel(session);
      states[session] = State.FORGOTTEN;
    }
    asking = 0;
    held = 0;
    first = used;
    wanted = 0;
  }

  /**
   * Runs one turn: reads datagrams, handles deadlines that are due, and sends new Queries. Waits a
   * little if no datagram came.
   */
  void turn() throws IOException {
    int received = receive();
    wheel.advance(now(), this::due);
    while (asking < window && used - first < wanted) {
      set(used, State.ASKING);
      asking++;
      query(used++);
    }
    if (received == 0) {
      selector.select(DueWheel.SLOT_MS / 2);
      selector.selectedKeys().clear();
    }
  }

  private int receive() throws IOException {
    int count = 0;
    for (; count < BATCH; count++) {
      in.clear();
      if (channel.receive(in) == null) {
        break;
      }
      in.flip();
      if (bytes.read(in, answer) && answer.session() < used) {
        response();
      }
    }
    return count;
  }

  private void response() throws IOException {
    int session = answer.session();
    State state = state(session);
    if (!bytes.ours(answer, exchanges[session]) || state == State.FORGOTTEN) {
      return;
    }
    boolean awaited = state == State.ASKING || state == State.REFRESHING;
    if (answer.asksConfirm()) {
      bytes.confirm(out, session, answer);
      send(node);
    }
    if (!awaited) {
      return;
    }
    if (state == State.ASKING) {
      asking--;
      held++;
      handshakes++;
    } else {
      refreshes++;
      reinstalled += answer.asksConfirm() ? 1 : 0;
    }
    validity = answer.validity();
    set(session, State.HELD);
    tries[session] = 0;
    expires[session] = (int) (now() + validity);
    wheel.set(session, now() + validity / 2 + random.nextInt((int) Math.max(1, validity / 4)));
  }

  private void due(int session) {
    switch (state(session)) {
      case HELD -> {
        set(session, State.REFRESHING);
        query(session);
      }
      case ASKING, REFRESHING -> {
        if (state(session) == State.REFRESHING && now() >= expires[session]) {
          lost++;
          held--;
          set(session, State.FORGOTTEN);
          return;
        }
        retransmissions++;
        query(session);
      }
      case NEW, FORGOTTEN -> {}
    }
  }

  private void query(int session) {
    exchanges[session]++;
    bytes.query(out, session, exchanges[session]);
    int wait = Math.min(FIRST_WAIT_MS << Math.min(tries[session], 8), LONGEST_WAIT_MS);
    tries[session]++;
    wheel.set(session, now() + wait);
    try {
      send(target);
    } catch (IOException e) {
      unsent++; // the next Query may find a way
    }
  }

  private void send(InetSocketAddress to) throws IOException {
    if (channel.send(out, to) == 0) {
      unsent++;
    }
  }

  private State state(int session) {
    return states[session];
  }

  private void set(int session, State state) {
    states[session] = state;
  }

  private long now() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
  }

  long handshakes() {
    return handshakes;
  }

  int held() {
    return held;
  }

  /** Returns all numbers as {@code name=value} for the bench that reads this program's output. */
  String report() {
    return ("held=%d asking=%d handshakes=%d refreshes=%d retransmissions=%d reinstalled=%d lost=%d"
            + " unsent=%d validity=%d query=%d confirm=%d")
        .formatted(
            held,
            asking,
            handshakes,
            refreshes,
            retransmissions,
            reinstalled,
            lost,
            unsent,
            validity,
            bytes.queryLength(),
            bytes.confirmLength());
  }

  @Override
  public void close() throws IOException {
    selector.close();
    channel.close();
  }
}
