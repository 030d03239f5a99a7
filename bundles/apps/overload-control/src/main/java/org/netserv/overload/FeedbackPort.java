// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.io.Closeable;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.netserv.overload.feedback.EdgeReport;
import org.netserv.overload.feedback.Feedback;
import org.netserv.overload.feedback.FeedbackException;
import org.netserv.overload.feedback.FeedbackMac;
import org.netserv.packet.Tally;

/**
 * The socket for the monitor's feedback, on a thread of its own. A datagram with a right code and a
 * greater sequence number goes to the edges' inboxes, and its sender gets a report. All other
 * datagrams are dropped and counted. At most {@link #BUDGET} codes are computed a second.
 */
final class FeedbackPort implements Closeable {
  /** Datagrams that are looked into in a second. */
  static final int BUDGET = 500;

  private static final System.Logger LOG = System.getLogger(FeedbackPort.class.getName());
  private static final int BUFFER = 256;
  private static final long SECOND = 1_000_000_000;

  private final DatagramSocket socket;
  private final FeedbackMac mac;
  private final Consumer<Feedback> inbox;
  private final LongFunction<EdgeReport> report;
  private final LongSupplier nanos;
  private final Tally<FeedbackException.Reason> refused =
      new Tally<>(FeedbackException.Reason.class);
  private final AtomicLong taken = new AtomicLong();
  private final AtomicLong old = new AtomicLong();
  private final AtomicLong beyond = new AtomicLong();
  private long last; // sequence number
  private long second;
  private int looked;

  /**
   * Opens the socket and starts the thread.
   *
   * @param inbox takes feedback, on this thread
   * @param report makes the report to the feedback with this sequence number
   * @param nanos a monotonic clock
   */
  FeedbackPort(
      int port,
      FeedbackMac mac,
      Consumer<Feedback> inbox,
      LongFunction<EdgeReport> report,
      LongSupplier nanos)
      throws IOException {
    this.inbox = inbox;
    this.report = report;
    this.nanos = nanos;
    this.mac = mac;
    socket = new DatagramSocket(port);
    Thread thread = new Thread(this::run, "overload-feedback");
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns the port, for tests that ask for any. */
  int port() {
    return socket.getLocalPort();
  }

  private void run() {
    DatagramPacket datagram = new DatagramPacket(new byte[BUFFER], BUFFER);
    while (!socket.isClosed()) {
      try {
        datagram.setLength(BUFFER);
        socket.receive(datagram);
        take(datagram);
      } catch (IOException e) {
        if (!socket.isClosed()) {
          LOG.log(System.Logger.Level.WARNING, "feedback socket: {0}", e.getMessage());
        }
      }
    }
  }

  private void take(DatagramPacket datagram) throws IOException {
    if (!budget()) {
      count(beyond);
      return;
    }
    try {
      Feedback feedback = Feedback.decode(datagram.getData(), datagram.getLength(), mac);
      if (feedback.sequence() <= last) {
        count(old);
        return;
      }
      last = feedback.sequence();
      inbox.accept(feedback);
      count(taken);
      byte[] answer = report.apply(last).encode(mac);
      socket.send(new DatagramPacket(answer, answer.length, datagram.getSocketAddress()));
    } catch (FeedbackException e) {
      refused.count(e.reason());
    }
  }

  private boolean budget() {
    long now = nanos.getAsLong();
    if (now - second >= SECOND) {
      second = now;
      looked = 0;
    }
    return ++looked <= BUDGET;
  }

  private static void count(AtomicLong cell) {
    cell.setOpaque(cell.getPlain() + 1);
  }

  /** Returns the counters above zero, by name. From any thread. */
  Map<String, Long> counters() {
    Map<String, Long> all = new TreeMap<>();
    refused.snapshot().forEach((reason, count) -> all.put("FEEDBACK." + reason, count));
    put(all, "FEEDBACK.TAKEN", taken);
    put(all, "FEEDBACK.OLD", old);
    put(all, "FEEDBACK.BEYOND", beyond);
    return all;
  }

  private static void put(Map<String, Long> all, String name, AtomicLong cell) {
    if (cell.getOpaque() > 0) {
      all.put(name, cell.getOpaque());
    }
  }

  @Override
  public void close() {
    socket.close();
  }
}
