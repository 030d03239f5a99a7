// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.table.Origin;
import org.netserv.serval.table.Rank;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.Target;

/**
 * Prints the rate of a stream over the loopback interface: megabits in a second, and in a second of
 * processor time of each end's thread, with the kernel's part. Arguments: gigabytes of a run, runs.
 *
 * <pre>
 *   java -cp target/classes:target/test-classes org.netserv.serval.endpoint.StreamRate 1 7
 * </pre>
 */
public final class StreamRate {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final ServiceId NAME = ServiceId.parse("00004001");
  private static final int CHUNK = 1 << 16;

  private StreamRate() {}

  /** Reads and counts until the end. */
  private static final class Sink implements StreamHandler {
    final CompletableFuture<Long> all = new CompletableFuture<>();
    private final ByteBuffer piece = ByteBuffer.allocate(CHUNK);
    private long count;

    @Override
    public void readable(ServalStream stream) {
      int read = stream.read(piece.clear());
      for (; read > 0; read = stream.read(piece.clear())) {
        count += read;
      }
      if (read < 0) {
        all.complete(count);
        stream.finish();
      }
    }
  }

  /** Writes zeros as room comes. */
  private static final class Source implements StreamHandler {
    private final ByteBuffer zeros = ByteBuffer.allocate(CHUNK);
    private long left;
    ServalStream stream;

    Source(long bytes) {
      left = bytes;
    }

    @Override
    public void connected(ServalStream opened) {
      stream = opened;
      writable(opened);
    }

    @Override
    public void writable(ServalStream opened) {
      int wrote = 1;
      while (left > 0 && wrote > 0) {
        zeros.clear().limit((int) Math.min(CHUNK, left));
        wrote = opened.write(zeros);
        left -= wrote;
      }
      if (left == 0) {
        opened.finish();
      }
    }

    @Override
    public void readable(ServalStream opened) {
      opened.read(zeros.clear());
    }
  }

  public static void main(String[] arguments) throws Exception {
    long bytes = (long) (Double.parseDouble(arguments[0]) * 1e9);
    InetSocketAddress local = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (ServalSocket server = ServalSocket.open(local, EndpointSettings.DEFAULT);
        ServalSocket client = ServalSocket.open(local, EndpointSettings.DEFAULT)) {
      Target target = Target.address(Addresses.endpoint(server.localAddress()));
      Origin origin = new Origin(Origin.Kind.OPERATOR, "rate");
      ServicePrefix name = ServicePrefix.of(NAME);
      Rule rule = new Rule(name, RuleAction.FORWARD, target, Rank.ZERO, 0, origin, Rule.FOREVER);
      client.call(endpoint -> endpoint.services().add(rule, 0)).get();
      for (int run = 0; run < Integer.parseInt(arguments[1]); run++) {
        run(server, client, bytes);
      }
    }
  }

  private static void run(ServalSocket server, ServalSocket client, long bytes) throws Exception {
    Sink sink = new Sink();
    Source source = new Source(bytes);
    ServicePrefix name = ServicePrefix.of(NAME);
    Binding binding =
        server.call(e -> e.bindLocally(name, ServiceHandler.ofStreams(stream -> sink))).get();
    long sender = processor(client);
    long receiver = processor(server);
    long start = System.nanoTime();
    client.call(endpoint -> endpoint.connectStream(NAME, source)).get();
    long got = sink.all.get();
    long wall = System.nanoTime() - start;
    sender = processor(client) - sender;
    receiver = processor(server) - receiver;
    String state = client.call(endpoint -> source.stream.describe()).get();
    System.out.printf(
        "%d bytes: %.0f Mb/s; of a processor's second: sender %.0f, receiver %.0f, both %.0f Mb (%s)%n",
        got,
        megabits(got, wall),
        megabits(got, sender),
        megabits(got, receiver),
        megabits(got, sender + receiver),
        state);
    server
        .call(
            endpoint -> {
              binding.close();
              return null;
            })
        .get();
  }

  private static double megabits(long bytes, long nanoseconds) {
    return bytes * 8e3 / nanoseconds;
  }

  private static long processor(ServalSocket socket) throws Exception {
    return socket.call(endpoint -> THREADS.getCurrentThreadCpuTime()).get();
  }
}
