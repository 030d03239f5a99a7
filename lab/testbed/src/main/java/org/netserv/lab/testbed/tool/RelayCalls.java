// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Many calls at once by a TURN server, to a peer that sends everything back.
 *
 * <pre>
 *   RelayCalls SERVER SECRET PEER PEERPORT CALLS MILLIS SECONDS SILENCE
 * </pre>
 *
 * <p>Each call has a socket, an allocation and a channel of its own, and sends a packet each MILLIS
 * ms. A call that hears nothing for SILENCE ms makes a new allocation from another port, as a
 * caller would; a packet whose answer is late is not sent again. The tool says {@code talking} when
 * all calls have begun, and at the end:
 *
 * <pre>
 *   sent, back, wrong   packets; wrong = other data came back than were sent
 *   again               allocations that were made anew
 *   gap, median         the longest silence of any call, and the median of all calls' longest, ms
 *   late                calls with a silence of more than a second
 *   dead                calls that heard nothing in their last second
 * </pre>
 *
 * SIGTERM ends the calls before their time, and the table is printed then.
 */
public final class RelayCalls {
  private static final int PORT = 3478;
  private static final int CHANNEL = 0x4001;
  private static final int STUN_MASK = 0xc0; // of the first byte: 0 in STUN (RFC 8489, section 5)
  private static final int HEADER = 4;
  private static final int LENGTH = 160;
  private static final int PATIENT_MS = 500;
  private static final int ATTEMPTS = 5;
  private static final int ANSWER_MS = 100; // round trips take less than one
  private static final int LATE_MS = 1000;
  private static final int TAIL_MS = 300;
  private static final int END_SECONDS = 5;
  private static final int HELPERS = 16;
  private static final int BUFFER = 1 << 20;
  private static final long MILLION = 1_000_000L;

  private final InetSocketAddress server;
  private final String secret;
  private final InetSocketAddress peer;
  private final long silence;
  private final Selector selector = Selector.open();
  private final ExecutorService helpers =
      Executors.newFixedThreadPool(
          HELPERS,
          task -> {
            Thread thread = new Thread(task, "allocate");
            thread.setDaemon(true);
            return thread;
          });
  private final List<Call> calls = new ArrayList<>();
  private final ByteBuffer out = ByteBuffer.allocateDirect(HEADER + LENGTH);
  private final ByteBuffer in = ByteBuffer.allocateDirect(2048);
  private long sent;
  private long back;
  private long wrong;
  private long again;
  private volatile boolean over;

  /** One call. The talking thread's, but for the channel that a helper brings. */
  private static final class Call {
    private final int number;
    private DatagramChannel channel;
    private volatile DatagramChannel fresh;
    private volatile boolean asking;
    private long heard;
    private long since; // of the allocation, or of the last packet
    private long gap;
    private int next;

    private Call(int number) {
      this.number = number;
    }
  }

  private RelayCalls(String[] args) throws IOException {
    server = new InetSocketAddress(InetAddress.getByName(args[0]), PORT);
    secret = args[1];
    peer = new InetSocketAddress(InetAddress.getByName(args[2]), Integer.parseInt(args[3]));
    silence = MILLION * Integer.parseInt(args[7]);
  }

  public static void main(String[] args) throws Exception {
    RelayCalls all = new RelayCalls(args);
    for (int i = 0; i < Integer.parseInt(args[4]); i++) {
      Call call = new Call(i);
      for (int attempt = 0; call.channel == null; attempt++) {
        call.channel = all.allocate(PATIENT_MS);
        if (call.channel == null && attempt == ATTEMPTS) {
          throw new IOException("call " + i + ": no allocation");
        }
      }
      call.channel.register(all.selector, SelectionKey.OP_READ, call);
      all.calls.add(call);
    }
    CountDownLatch told = new CountDownLatch(1);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> all.end(told), "end"));
    System.out.println("talking");
    all.talk(Integer.parseInt(args[5]), Integer.parseInt(args[6]));
    told.countDown();
    System.exit(0);
  }

  /** Ends the calls at SIGTERM, before their time is over. The exit status is 0 all the same. */
  private void end(CountDownLatch told) {
    over = true;
    try {
      if (told.await(END_SECONDS, TimeUnit.SECONDS)) {
        Runtime.getRuntime().halt(0);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Returns a socket with an allocation and a channel, or null if there is none to be had. The port
   * may have been a client's of an earlier run, whose allocation is still there.
   */
  private DatagramChannel allocate(int waitMillis) throws IOException {
    DatagramChannel channel = DatagramChannel.open();
    channel.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER);
    channel.bind(new InetSocketAddress(0));
    TurnClient client = new TurnClient(server, secret, channel.socket()).waiting(waitMillis);
    if (client.allocate() != 0 || client.bind(CHANNEL, peer) != 0) {
      channel.close();
      return null;
    }
    channel.connect(server);
    channel.configureBlocking(false);
    return channel;
  }

  private void talk(int millis, int seconds) throws IOException {
    long start = System.nanoTime();
    long interval = MILLION * millis / calls.size();
    long end = start + 1000L * MILLION * seconds;
    calls.forEach(
        call -> {
          call.heard = start;
          call.since = start;
        });
    long due = start;
    for (int i = 0; !over && System.nanoTime() - end < 0; i++) {
      receive();
      while (due - System.nanoTime() > 0) {
        if (receive() == 0) {
          LockSupport.parkNanos(Math.min(MILLION / 2, Math.max(1, due - System.nanoTime())));
        }
      }
      turn(calls.get(i % calls.size()), System.nanoTime());
      due += interval;
    }
    for (long tail = System.nanoTime() + TAIL_MS * MILLION; System.nanoTime() - tail < 0; ) {
      if (receive() == 0) {
        LockSupport.parkNanos(MILLION);
      }
    }
    tell(System.nanoTime());
  }

  /** Sends a packet of a call, and takes care of its allocation. */
  private void turn(Call call, long now) throws IOException {
    DatagramChannel fresh = call.fresh;
    if (fresh != null) {
      call.fresh = null;
      call.channel.close();
      call.channel = fresh;
      fresh.register(selector, SelectionKey.OP_READ, call);
      call.since = now;
      call.asking = false;
      again++;
    } else if (!call.asking && now - call.since > silence) {
      call.asking = true;
      helpers.execute(() -> renew(call));
    }
    out.clear();
    out.putShort((short) CHANNEL).putShort((short) LENGTH);
    fill(out, call.number, call.next++);
    out.flip();
    try {
      call.channel.write(out);
      sent++;
    } catch (IOException e) {
      sent++; // refused while nobody listens: lost, as on the way
    }
  }

  private void renew(Call call) {
    try {
      call.fresh = allocate(ANSWER_MS);
    } catch (IOException e) {
      call.fresh = null;
    }
    if (call.fresh == null) {
      call.asking = false;
    }
  }

  private static void fill(ByteBuffer to, int call, int number) {
    to.putInt(call).putInt(number);
    for (int i = 8; i < LENGTH; i++) {
      to.put((byte) (call * 31 + number * 7 + i));
    }
  }

  private int receive() throws IOException {
    return selector.selectNow(this::receive);
  }

  private void receive(SelectionKey key) {
    Call call = (Call) key.attachment();
    try {
      DatagramChannel channel = (DatagramChannel) key.channel();
      for (in.clear(); channel.read(in) > 0; in.clear()) {
        heard(call, in.flip());
      }
    } catch (IOException e) {
      call.since = Math.min(call.since, call.heard); // an ICMP error: nobody listens
    }
  }

  private void heard(Call call, ByteBuffer got) {
    if (got.hasRemaining() && (got.get(0) & STUN_MASK) == 0) {
      return; // the answer to a request that was sent again before it came
    }
    boolean right = got.remaining() == HEADER + LENGTH && (got.getShort(0) & 0xffff) == CHANNEL;
    if (right) {
      int number = got.getInt(HEADER + 4);
      out.clear().position(HEADER);
      fill(out, call.number, number);
      out.position(HEADER).limit(HEADER + LENGTH);
      right = number >= 0 && number < call.next && out.equals(got.position(HEADER));
    }
    if (!right) {
      wrong++;
      return;
    }
    long now = System.nanoTime();
    back++;
    call.gap = Math.max(call.gap, now - call.heard);
    call.heard = now;
    call.since = now;
  }

  private void tell(long now) {
    long[] gaps = calls.stream().mapToLong(call -> call.gap / MILLION).sorted().toArray();
    long late = Arrays.stream(gaps).filter(gap -> gap > LATE_MS).count();
    long dead = calls.stream().filter(call -> now - call.heard > LATE_MS * MILLION).count();
    System.out.println(
        "sent="
            + sent
            + " back="
            + back
            + " wrong="
            + wrong
            + " again="
            + again
            + " gap="
            + gaps[gaps.length - 1]
            + " median="
            + gaps[gaps.length / 2]
            + " late="
            + late
            + " dead="
            + dead);
  }
}
