// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.report;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.time.Clock;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Receives reports on a thread of its own, which also checks them. */
public final class ReportSocket implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ReportSocket.class);

  private final DatagramChannel channel;
  private final ReportDoor door;
  private final Clock clock;
  private final Executor loop;
  private final Consumer<Report> listener;

  private ReportSocket(
      DatagramChannel channel,
      ReportDoor door,
      Clock clock,
      Executor loop,
      Consumer<Report> listener) {
    this.channel = channel;
    this.door = door;
    this.clock = clock;
    this.loop = loop;
    this.listener = listener;
  }

  /**
   * Listens.
   *
   * @param listener gets admitted reports, on {@code loop}
   * @throws IOException when the port cannot be had, naming it
   */
  public static ReportSocket open(
      InetSocketAddress at, ReportDoor door, Clock clock, Executor loop, Consumer<Report> listener)
      throws IOException {
    boolean v4 = at.getAddress().getAddress().length == 4;
    DatagramChannel channel =
        DatagramChannel.open(v4 ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
    try {
      channel.bind(at);
    } catch (IOException e) {
      channel.close();
      throw new IOException("keepalive.reports.listen: " + at + ": " + e.getMessage(), e);
    }
    ReportSocket socket = new ReportSocket(channel, door, clock, loop, listener);
    Thread thread = new Thread(socket::run, "reports");
    thread.setDaemon(true);
    thread.start();
    return socket;
  }

  private void run() {
    ByteBuffer datagram = ByteBuffer.allocate(Report.LONGEST + 1);
    while (channel.isOpen()) {
      try {
        channel.receive(datagram.clear());
        door.admit(datagram.flip(), clock.millis())
            .ifPresent(report -> loop.execute(() -> listener.accept(report)));
      } catch (ClosedChannelException e) {
        return;
      } catch (IOException e) {
        LOG.warn("reports: {}", e.getMessage());
      }
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
