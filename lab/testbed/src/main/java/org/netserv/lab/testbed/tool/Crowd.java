// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutorService;

/**
 * A crowd that asks a {@link WebOrigin}, or a cache before it: {@code Crowd ADDRESS PORT CLIENTS
 * SECONDS OBJECTS PATH [KIND]}. Clients come at random moments of that time. Each opens a
 * connection, asks for one object, the first ones more often than the last (Zipf), and compares
 * each byte of the answer. The number of an object follows the path.
 *
 * <p>The kind is {@code whole}; {@code leaving}, if the first client goes at its first byte, and is
 * counted as failed; or {@code ranges}, if each asks for all but the first 100 bytes. An answer
 * with the whole object is right, too (RFC 9110, 14.2).
 *
 * <p>It prints {@code clients= whole= wrong= failed= median= tail=}: clients, those with a whole
 * answer, those with a wrong byte or status, those without a whole answer, and the median and the
 * 99th percentile of the times from the connection's begin to the first byte, in microseconds.
 */
public final class Crowd {
  private static final int HEAD = 4096;
  private static final int REHEARSAL = 2_000; // clients
  private static final int REHEARSAL_SECONDS = 3;
  private static final long PATIENCE_NANOS = 30_000_000_000L;
  private static final byte[] CONTENT = content();
  private static final byte[] OK = "HTTP/1.1 200 ".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] PART = "HTTP/1.1 206 ".getBytes(StandardCharsets.US_ASCII);

  private final InetSocketAddress to;
  private final String path;
  private final Kind kind;
  private final Selector selector = Selector.open();
  private final ByteBuffer in = ByteBuffer.allocate(1 << 16);
  private final long[] firstBytes;
  private int answered;
  private int whole;
  private int wrong;
  private int failed;
  private boolean hasLeft;

  /** Kinds of crowds. */
  public enum Kind {
    WHOLE(0),
    LEAVING(0),
    RANGES(100);

    private final int from; // the first byte that is asked for

    Kind(int from) {
      this.from = from;
    }

    /** Returns the word for the command line. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    String header() {
      return from == 0 ? "" : "Range: bytes=" + from + "-\r\n";
    }
  }

  /** One client. */
  private static final class Client {
    final byte[] request;
    final long began = System.nanoTime();
    final byte[] head = new byte[HEAD];
    int headLength;
    int position = -1; // of the next byte in the object, -1 = in the head
    boolean isWrong;

    Client(byte[] request) {
      this.request = request;
    }
  }

  private Crowd(InetSocketAddress to, int clients, String path, Kind kind) throws IOException {
    this.to = to;
    this.path = path;
    this.kind = kind;
    firstBytes = new long[clients];
  }

  private static byte[] content() {
    byte[] content = new byte[WebOrigin.SIZE];
    for (int i = 0; i < content.length; i++) {
      content[i] = (byte) (i % WebOrigin.PERIOD);
    }
    return content;
  }

  public static void main(String[] args) throws IOException {
    rehearse();
    int clients = Integer.parseInt(args[2]);
    InetSocketAddress to = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
    Kind kind = args.length == 6 ? Kind.WHOLE : Kind.valueOf(args[6].toUpperCase(Locale.ROOT));
    Crowd crowd = new Crowd(to, clients, args[5], kind);
    crowd.run(arrivals(clients, Integer.parseInt(args[3])), Integer.parseInt(args[4]));
    System.out.println(crowd.result());
  }

  /**
   * Asks a web server in this process, so that the crowd does not wait for code not compiled yet.
   */
  private static void rehearse() throws IOException {
    HttpServer server = WebOrigin.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    try {
      new Crowd(server.getAddress(), REHEARSAL, "/fast/", Kind.WHOLE)
          .run(arrivals(REHEARSAL, REHEARSAL_SECONDS), 1);
    } finally {
      server.stop(0);
      ((ExecutorService) server.getExecutor()).shutdown();
    }
  }

  /** Draws the moments at which clients come, in nanoseconds. */
  private static long[] arrivals(int clients, int seconds) {
    long span = Math.max(1, seconds * 1_000_000_000L);
    return new Random(1).longs(clients, 0, span).sorted().toArray();
  }

  private void run(long[] arrivals, int objects) throws IOException {
    Random random = new Random(2);
    double[] shares = shares(objects);
    long start = System.nanoTime();
    long quiet = start; // since when nothing has happened
    int begun = 0;
    while (whole + wrong + failed < arrivals.length) {
      long now = System.nanoTime();
      while (begun < arrivals.length && arrivals[begun] <= now - start) {
        int object = Arrays.binarySearch(shares, random.nextDouble());
        begin(object < 0 ? -object - 1 : object);
        begun++;
        quiet = now;
      }
      if (selector.select(this::ready, 1) > 0) {
        quiet = now;
      } else if (begun == arrivals.length && now - quiet > PATIENCE_NANOS) {
        break; // those that are left get nothing any more
      }
    }
  }

  private String result() {
    long[] times = Arrays.copyOf(firstBytes, answered);
    Arrays.sort(times);
    int clients = firstBytes.length;
    return "clients=%d whole=%d wrong=%d failed=%d median=%d tail=%d"
        .formatted(
            clients,
            whole,
            wrong,
            clients - whole - wrong,
            percentile(times, 50),
            percentile(times, 99));
  }

  private static long percentile(long[] sorted, int percent) {
    return sorted.length == 0 ? 0 : sorted[(sorted.length - 1) * percent / 100] / 1000;
  }

  /** Returns for each object the share of requests for it and for those before it. */
  private static double[] shares(int objects) {
    double[] shares = new double[objects];
    double sum = 0;
    for (int i = 0; i < objects; i++) {
      sum += 1.0 / (i + 1);
      shares[i] = sum;
    }
    for (int i = 0; i < objects; i++) {
      shares[i] /= sum;
    }
    return shares;
  }

  private void begin(int object) throws IOException {
    String request =
        "GET %s%d HTTP/1.1\r\nHost: %s\r\n%sConnection: close\r\n\r\n"
            .formatted(path, object, to.getAddress().getHostAddress(), kind.header());
    SocketChannel channel = SocketChannel.open();
    channel.configureBlocking(false);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    Client client = new Client(request.getBytes(StandardCharsets.US_ASCII));
    channel.connect(to);
    channel.register(selector, SelectionKey.OP_CONNECT, client);
  }

  private void ready(SelectionKey key) {
    SocketChannel channel = (SocketChannel) key.channel();
    Client client = (Client) key.attachment();
    try {
      if (key.isConnectable()) {
        channel.finishConnect();
        channel.write(ByteBuffer.wrap(client.request)); // an empty socket takes so little
        key.interestOps(SelectionKey.OP_READ);
        return;
      }
      in.clear();
      if (channel.read(in) < 0) {
        channel.close();
        end(client);
      } else {
        take(client);
        leave(channel);
      }
    } catch (IOException e) {
      failed++;
      key.cancel();
      close(channel);
    }
  }

  /** Lets the first client go at its first byte, in a crowd of that kind. */
  private void leave(SocketChannel channel) {
    if (kind == Kind.LEAVING && !hasLeft) {
      hasLeft = true;
      failed++;
      close(channel);
    }
  }

  private static void close(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // It is of no use any more.
    }
  }

  private void take(Client client) {
    if (client.headLength == 0) {
      firstBytes[answered++] = System.nanoTime() - client.began;
    }
    in.flip();
    while (client.position < 0 && in.hasRemaining()) {
      takeHead(client, in.get());
    }
    int count = in.remaining();
    if (count == 0) {
      return;
    }
    int from = client.position;
    int to = from + count;
    client.isWrong |=
        to > CONTENT.length
            || !Arrays.equals(CONTENT, from, to, in.array(), in.position(), in.position() + count);
    client.position = to;
  }

  private void takeHead(Client client, byte octet) {
    if (client.headLength == HEAD) {
      client.isWrong = true;
      return;
    }
    client.head[client.headLength++] = octet;
    int length = client.headLength;
    byte[] head = client.head;
    if (length >= 4 && octet == '\n' && head[length - 3] == '\n') {
      boolean isPart = kind.from > 0 && startsWith(head, PART);
      client.isWrong |= !isPart && !startsWith(head, OK);
      client.position = isPart ? kind.from : 0;
    }
  }

  private static boolean startsWith(byte[] head, byte[] front) {
    return Arrays.equals(head, 0, front.length, front, 0, front.length);
  }

  private void end(Client client) {
    if (client.isWrong) {
      wrong++;
    } else if (client.position == CONTENT.length) {
      whole++;
    } else {
      failed++;
    }
  }
}
