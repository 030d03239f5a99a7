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
 * D-mode and Q-mode of an initiator: UDP sockets of its own, without any privilege. It intercepts
 * nothing, and its datagrams come from addresses of this host, whatever S says.
 *
 * <p>Each source address has one port. A socket there takes what comes from anybody; another, on
 * the same port and connected, for each destination sends, because the kernel tells ICMP errors
 * only to connected sockets. An error belongs to a destination then, but its quoted payload is not
 * seen: the kernel has compared addresses and ports.
 *
 * <p>The sockets have a thread of their own; the listener is called on the GIST thread.
 */
public final class SocketPort implements DatagramPort, AutoCloseable {
  private final Executor gist;
  private final DatagramSockets sockets;

  /** On the thread of the sockets. */
  private final Map<InetAddress, SourceSockets> sources = new HashMap<>();

  private volatile Listener listener;
  private volatile boolean closed;

  /**
   * A port; sockets are made as they are needed.
   *
   * @param gist the GIST thread
   */
  public SocketPort(Executor gist) {
    this(gist, true);
  }

  /** The same with the JDK's sockets: no router alert, no TTL. */
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

  /** What this host cannot do, in words; callable on any thread. */
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

  /** On the GIST thread, unless this is closed. */
  void tell(Runnable event) {
    try {
      gist.execute(
          () -> {
            if (!closed && listener != null) {
              event.run();
            }
          });
    } catch (RejectedExecutionException e) {
      // The GIST thread has ended: nobody is left to be told.
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

  /** Gives the ports back; the listener hears nothing more. */
  @Override
  public void close() {
    closed = true;
    sockets.close();
  }
}
