// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.netserv.gist.port.DatagramPort;
import org.netserv.gist.port.OutboundDatagram;

/**
 * D-mode and Q-mode of an initiator: UDP sockets of its own, without any privilege. The port
 * intercepts nothing. Its datagrams come from addresses of this host, with any value of the S flag.
 *
 * <p>Each source address has one port. An unconnected socket there takes the datagrams of all
 * senders. For each destination another socket, on the same port and connected, sends, because the
 * kernel reports ICMP errors only to connected sockets. An error therefore belongs to a
 * destination. Its quoted payload is not seen, because the kernel has compared only addresses and
 * ports.
 *
 * <p>The sockets have a thread of their own. The listener is called on the GIST thread.
 */
public final class SocketPort implements DatagramPort, AutoCloseable {
  private final Executor gist;
  private final DatagramSockets sockets;

  /** Used on the thread of the sockets. */
  private final Map<InetAddress, SourceSockets> sources = new HashMap<>();

  private volatile Listener listener;
  private volatile boolean closed;

  /**
   * Creates a port. Sockets are made as they are needed.
   *
   * @param gist the GIST thread
   */
  public SocketPort(Executor gist) {
    this(gist, true);
  }

  /** Creates a port that may use the JDK's sockets: no router alert, no TTL. */
  SocketPort(Executor gist, boolean nativeTransport) {
    this.gist = gist;
    this.sockets =
        new DatagramSockets(
            nativeTransport,
            task -> {
              Thread thread = new Thread(task, "gist-udp");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** Returns the abilities that this host lacks, in words. Callable on any thread. */
  public List<String> limits() {
    return sockets.limits();
  }

  @Override
  public void listen(Listener newListener) {
    listener = newListener;
  }

  @Override
  public void send(OutboundDatagram datagram) {
    if (datagram.payload().length > DatagramSockets.UDP_MAX) {
      tell(() -> listener.failed(datagram, "longer than UDP allows", DatagramSockets.UDP_MAX));
      return;
    }
    try {
      sockets.execute(() -> route(datagram));
    } catch (RejectedExecutionException e) {
      tell(() -> listener.failed(datagram, "closed", 0));
    }
  }

  private void route(OutboundDatagram datagram) {
    try {
      InetAddress source = datagram.source();
      if (source == null) {
        source =
            DatagramSockets.sourceTowards(
                new InetSocketAddress(datagram.destination(), datagram.destinationPort()));
      }
      sources.computeIfAbsent(source, s -> new SourceSockets(s, sockets, this)).send(datagram);
    } catch (IOException e) {
      tell(() -> listener.failed(datagram, String.valueOf(e.getMessage()), 0));
    }
  }

  /** Runs an event on the GIST thread, unless this port is closed. */
  void tell(Runnable event) {
    try {
      gist.execute(
          () -> {
            if (!closed && listener != null) {
              event.run();
            }
          });
    } catch (RejectedExecutionException e) {
      // The GIST thread has ended, so no listener is left.
      return;
    }
  }

  Listener listener() {
    return listener;
  }

  /** Intercepted packets do not exist here. */
  @Override
  public void forward(long token) {
    throw new IllegalStateException("nothing was intercepted");
  }

  @Override
  public void forward(long token, byte[] payload) {
    forward(token);
  }

  @Override
  public void consume(long token) {
    forward(token);
  }

  /** Gives the ports back. The listener hears nothing more. */
  @Override
  public void close() {
    closed = true;
    sockets.close();
  }
}
