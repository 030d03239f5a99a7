// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The near end of a call by a TURN server.
 *
 * <pre>
 *   RtpCaller SERVER SECRET call PEER PORT COUNT   RTP, 50 a second, each answer checked; it makes
 *                                                  a new allocation when nothing comes back
 *   RtpCaller SERVER SECRET echo PEER PORT COUNT   the same to a callee that sends each packet back as
 *                                                  it is; begins with the first line of its input
 *   RtpCaller SERVER SECRET permit ADDRESS...      asks for permissions, prints the error codes
 * </pre>
 *
 * <p>Behind a call it prints {@code second N BACK MICROS} for each second: packets of that second
 * that came back, and the median of their round trips.
 */
public final class RtpCaller {
  private static final int PORT = 3478;
  private static final int CHANNEL = 0x4001;
  private static final int INTERVAL_MS = 20;
  private static final int SILENCE_MS = 300;
  private static final int LAST_WAIT_MS = 1000;
  private static final int PER_SECOND = 1000 / INTERVAL_MS;

  private final InetSocketAddress server;
  private final String secret;
  private final int answers; // the source in the packets that come back
  private final BitSet back = new BitSet();
  private volatile TurnClient client;
  private volatile long heard; // since when nothing has come, or since the new allocation
  private long last;
  private long gap;
  private volatile boolean over;
  private int wrong;
  private int again;
  private long[] sentAt = {};
  private long[] trips = {}; // microseconds; 0 = has not come back

  private RtpCaller(String server, String secret, int answers) throws IOException {
    this.answers = answers;
    this.server = new InetSocketAddress(InetAddress.getByName(server), PORT);
    this.secret = secret;
  }

  public static void main(String[] args) throws Exception {
    boolean echo = args[2].equals("echo");
    RtpCaller caller = new RtpCaller(args[0], args[1], echo ? RtpCallee.CALLER : RtpCallee.CALLEE);
    if (args[2].equals("permit")) {
      caller.permit(args);
    } else {
      InetSocketAddress peer =
          new InetSocketAddress(InetAddress.getByName(args[3]), Integer.parseInt(args[4]));
      caller.call(peer, Integer.parseInt(args[5]), echo);
    }
  }

  private void permit(String[] args) throws IOException {
    try (TurnClient asking = new TurnClient(server, secret)) {
      System.out.println("allocate=" + asking.allocate());
      for (int i = 3; i < args.length; i++) {
        System.out.println(args[i] + " " + asking.permit(InetAddress.getByName(args[i])));
      }
    }
  }

  private void call(InetSocketAddress peer, int count, boolean waits)
      throws IOException, InterruptedException {
    if (!begin(peer)) {
      throw new IOException("no allocation");
    }
    if (waits && System.in.read() < 0) {
      return;
    }
    sentAt = new long[count];
    trips = new long[count];
    Thread listener = new Thread(this::listen);
    listener.start();
    long start = System.nanoTime();
    heard = start;
    last = start;
    for (int number = 0; number < count; number++) {
      long due = start + 1_000_000L * INTERVAL_MS * number;
      Thread.sleep(Math.max(0, (due - System.nanoTime()) / 1_000_000));
      if (System.nanoTime() - heard > SILENCE_MS * 1_000_000L && begin(peer)) {
        again++;
        heard = System.nanoTime();
      }
      synchronized (back) {
        sentAt[number] = System.nanoTime();
      }
      client.send(CHANNEL, RtpPacket.of(number, RtpCallee.CALLER));
    }
    Thread.sleep(LAST_WAIT_MS);
    over = true;
    client.close();
    listener.join();
    synchronized (back) {
      for (int from = 0; from < count; from += PER_SECOND) {
        long[] came = came(from, Math.min(count, from + PER_SECOND));
        System.out.println(
            "second " + from / PER_SECOND + " " + came.length + " " + percentile(came, 50));
      }
      long[] all = came(0, count);
      System.out.println(
          "sent="
              + count
              + " back="
              + back.cardinality()
              + " wrong="
              + wrong
              + " again="
              + again
              + " gap="
              + gap
              + " median="
              + percentile(all, 50)
              + " tail="
              + percentile(all, 99));
    }
  }

  /** Returns the round trips of the packets of these numbers that came back, sorted. */
  private long[] came(int from, int to) {
    return Arrays.stream(trips, from, to).filter(trip -> trip > 0).sorted().toArray();
  }

  private static long percentile(long[] sorted, int percent) {
    return sorted.length == 0 ? 0 : sorted[(sorted.length - 1) * percent / 100];
  }

  /** Makes an allocation with a socket of its own, and binds the channel. */
  private boolean begin(InetSocketAddress peer) throws IOException {
    TurnClient next = new TurnClient(server, secret);
    if (next.allocate() != 0) {
      next.close();
      return false;
    }
    System.out.println("relayed " + next.relayed());
    if (next.bind(CHANNEL, peer) != 0) {
      next.close();
      return false;
    }
    next.socket.setSoTimeout(0);
    TurnClient before = client;
    client = next;
    if (before != null) {
      before.close();
    }
    return true;
  }

  private void listen() {
    DatagramPacket packet = new DatagramPacket(new byte[2048], 2048);
    while (!over) {
      try {
        packet.setLength(2048);
        client.socket.receive(packet);
        heard(packet);
      } catch (SocketTimeoutException | SocketException e) {
        Thread.onSpinWait(); // the call goes on by another socket, or is over
      } catch (IOException e) {
        return;
      }
    }
  }

  private void heard(DatagramPacket packet) {
    int number = RtpPacket.number(packet.getData(), 4, packet.getLength() - 4, answers);
    synchronized (back) {
      if (number < 0 || number >= sentAt.length) {
        wrong++;
        return;
      }
      if (!back.get(number)) {
        trips[number] = Math.max(1, (System.nanoTime() - sentAt[number]) / 1000);
      }
      back.set(number);
    }
    long now = System.nanoTime();
    gap = Math.max(gap, (now - last) / 1_000_000);
    last = now;
    heard = now;
  }
}
