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
import java.util.concurrent.locks.LockSupport;

/**
 * Clients of a TURN server that send at one rate to a peer that sends everything back.
 *
 * <pre>
 *   RelayLoad SERVER PORT SECRET PEER PEERPORT CLIENTS PER-SECOND LENGTH WARM-MS MEASURE-MS [FIRST]
 * </pre>
 *
 * <p>It says {@code measuring} when the clients are warm, {@code measured} at the end, and then the
 * counts of the time between, with round trips in microseconds. With {@code -} for the server the
 * clients send to the peer directly. With 0 a second they only make their allocations, say so, and
 * hold them. With FIRST the clients have this address and the following ones, and the server's
 * port.
 */
public final class RelayLoad {
  /** The channel of each client. */
  public static final int CHANNEL = 0x4000;

  private static final int MISMATCH = 437;
  private static final int HEADER = 4;
  private static final int TAIL_MS = 300;
  private static final int BUFFER = 1 << 20;
  private static final long MILLION = 1_000_000L;

  private final List<DatagramChannel> channels = new ArrayList<>();
  private final Selector selector;
  private final ByteBuffer out;
  private final ByteBuffer in = ByteBuffer.allocateDirect(2048);
  private final int header;
  private long[] trips = new long[1 << 16];
  private int back;
  private int sent;
  private boolean measuring;

  private RelayLoad(int length, boolean direct) throws IOException {
    selector = Selector.open();
    header = direct ? 0 : HEADER;
    out = ByteBuffer.allocateDirect(header + length);
    if (!direct) {
      out.putShort(0, (short) CHANNEL).putShort(2, (short) length);
    }
  }

  public static void main(String[] args) throws Exception {
    boolean direct = args[0].equals("-");
    InetSocketAddress peer = address(args[3], args[4]);
    InetSocketAddress server = direct ? peer : address(args[0], args[1]);
    RelayLoad load = new RelayLoad(Integer.parseInt(args[7]), direct);
    int clients = Integer.parseInt(args[5]);
    for (int i = 0; i < clients; i++) {
      InetSocketAddress own =
          args.length > 10 ? address(following(args[10], i), args[1]) : new InetSocketAddress(0);
      load.add(own, server, direct ? null : args[2], peer);
    }
    int perSecond = Integer.parseInt(args[6]);
    if (perSecond == 0) {
      System.out.println("holding " + clients);
      Thread.sleep(Long.MAX_VALUE);
    }
    load.send(perSecond, Integer.parseInt(args[8]), Integer.parseInt(args[9]));
  }

  /** Returns the address that is {@code more} behind one, in its last number. */
  private static String following(String address, int more) {
    int dot = address.lastIndexOf('.') + 1;
    return address.substring(0, dot) + (Integer.parseInt(address.substring(dot)) + more);
  }

  private static InetSocketAddress address(String host, String port) throws IOException {
    return new InetSocketAddress(InetAddress.getByName(host), Integer.parseInt(port));
  }

  private void add(
      InetSocketAddress own, InetSocketAddress server, String secret, InetSocketAddress peer)
      throws IOException {
    int code = MISMATCH;
    while (code == MISMATCH) { // the port may have been a client's of an earlier run
      DatagramChannel channel = DatagramChannel.open();
      channel.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER);
      channel.bind(own);
      code = secret == null ? 0 : allocate(new TurnClient(server, secret, channel.socket()), peer);
      if (code == 0) {
        channel.connect(server);
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ);
        channels.add(channel);
      } else {
        channel.close();
      }
    }
    if (code != 0) {
      throw new IOException("client " + channels.size() + ": error " + code);
    }
  }

  private static int allocate(TurnClient client, InetSocketAddress peer) throws IOException {
    int code = client.allocate();
    return code == 0 ? client.bind(CHANNEL, peer) : code;
  }

  private void send(int perSecond, int warmMillis, int measureMillis) throws IOException {
    long start = System.nanoTime();
    long interval = 1000 * MILLION / perSecond;
    long begin = start + warmMillis * MILLION;
    long end = begin + measureMillis * MILLION;
    long next = start;
    for (int i = 0; ; i++) {
      receive(); // at least once for each datagram that is sent
      long now = System.nanoTime();
      while (next - now > 0) {
        if (receive() == 0) {
          LockSupport.parkNanos(Math.min(next - now, MILLION / 5));
        }
        now = System.nanoTime();
      }
      if (now - end >= 0) {
        break;
      }
      if (!measuring && now - begin >= 0) {
        measuring = true;
        System.out.println("measuring");
      }
      send(channels.get(i % channels.size()), now);
      next += interval;
    }
    long over = System.nanoTime() + TAIL_MS * MILLION;
    System.out.println("measured");
    while (System.nanoTime() - over < 0) {
      if (receive() == 0) {
        LockSupport.parkNanos(MILLION);
      }
    }
    tell();
  }

  private void send(DatagramChannel channel, long now) throws IOException {
    out.clear();
    out.putLong(header, measuring ? now : 0);
    if (channel.write(out) > 0 && measuring) {
      sent++;
    }
  }

  private int receive() throws IOException {
    return selector.selectNow(this::receive);
  }

  private void receive(SelectionKey key) {
    DatagramChannel channel = (DatagramChannel) key.channel();
    try {
      for (in.clear(); channel.read(in) > 0; in.clear()) {
        long began = in.getLong(header);
        if (began != 0) {
          if (back == trips.length) {
            trips = Arrays.copyOf(trips, 2 * back);
          }
          trips[back++] = System.nanoTime() - began;
        }
      }
    } catch (IOException e) {
      System.out.println("receive: " + e.getMessage());
    }
  }

  private void tell() {
    Arrays.sort(trips, 0, back);
    System.out.println(
        "sent=" + sent + " back=" + back + " median=" + percentile(50) + " tail=" + percentile(99));
  }

  private long percentile(int percent) {
    return back == 0 ? 0 : trips[(int) ((back - 1L) * percent / 100)] / 1000;
  }
}
