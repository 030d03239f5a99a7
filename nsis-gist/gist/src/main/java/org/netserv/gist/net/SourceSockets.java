// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.netserv.gist.port.IcmpError;
import org.netserv.gist.port.InboundDatagram;
import org.netserv.gist.port.OutboundDatagram;

/** All sockets of one source address, on one port. On the thread of the sockets. */
final class SourceSockets {
  /**
   * Most destinations with a socket of their own. The destination that was silent longest loses its
   * socket.
   */
  private static final int CONNECTED_MAX = 512;

  /** Most datagrams that may wait for a socket that is being made. */
  private static final int WAITING_MAX = 64;

  private final InetAddress source;
  private final boolean v4;
  private final DatagramSockets sockets;
  private final SocketPort port;
  private final Queue<OutboundDatagram> waiting = new ArrayDeque<>();
  private final Map<Target, Connected> connected =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Target, Connected> eldest) {
          boolean full = size() > CONNECTED_MAX;
          if (full) {
            eldest.getValue().close();
          }
          return full;
        }
      };

  /** The socket that takes datagrams of all senders and holds the port; null until it is bound. */
  private Channel open;

  private boolean binding;

  SourceSockets(InetAddress source, DatagramSockets sockets, SocketPort port) {
    this.source = source;
    this.v4 = source.getAddress().length == 4;
    this.sockets = sockets;
    this.port = port;
  }

  void send(OutboundDatagram datagram) {
    if (open != null) {
      connected.computeIfAbsent(Target.of(datagram), Connected::new).send(datagram);
    } else if (waiting.size() < WAITING_MAX) {
      waiting.add(datagram);
      bind();
    } else {
      failed(datagram, "too many datagrams wait for a socket", 0);
    }
  }

  /**
   * Runs an event of a socket later on the thread of the sockets. A failure may be reported at
   * once, or on another thread.
   */
  private void later(Runnable event) {
    try {
      sockets.execute(event);
    } catch (RejectedExecutionException e) {
      // The port is closed, and the sockets have gone with the thread.
      return;
    }
  }

  private void bind() {
    if (!binding) {
      binding = true;
      sockets
          .open(new InetSocketAddress(source, 0), null, new Receiver(null))
          .addListener(done -> later(() -> bound((ChannelFuture) done)));
    }
  }

  private void bound(ChannelFuture done) {
    binding = false;
    if (done.isSuccess()) {
      open = done.channel();
    }
    while (!waiting.isEmpty()) {
      OutboundDatagram datagram = waiting.remove();
      if (open != null) {
        send(datagram);
      } else {
        failed(datagram, "no socket at " + source.getHostAddress() + ": " + done.cause(), 0);
      }
    }
  }

  private InetSocketAddress local() {
    return (InetSocketAddress) open.localAddress();
  }

  private void failed(OutboundDatagram datagram, String reason, int mtu) {
    port.tell(() -> port.listener().failed(datagram, reason, mtu));
  }

  /** The purpose of a connected socket: a destination, with the router alert option (-1 = none). */
  private record Target(InetSocketAddress to, int routerAlert) {
    static Target of(OutboundDatagram datagram) {
      return new Target(
          new InetSocketAddress(datagram.destination(), datagram.destinationPort()),
          datagram.routerAlert());
    }
  }

  /** A socket that is connected to one destination. */
  private final class Connected {
    private final Target target;
    private final InetSocketAddress to;
    private final Queue<OutboundDatagram> early = new ArrayDeque<>();
    private Channel channel;
    private Throwable broken;
    private byte[] latest = {};
    private int ttl = -1;
    private int trafficClass = -1;

    Connected(Target target) {
      this.target = target;
      this.to = target.to();
      sockets
          .open(local(), to, new Receiver(this))
          .addListener(done -> later(() -> connectedNow((ChannelFuture) done)));
    }

    private void connectedNow(ChannelFuture done) {
      channel = done.isSuccess() ? done.channel() : null;
      if (channel != null && target.routerAlert() >= 0) {
        sockets.routerAlert(channel, v4, target.routerAlert());
      }
      broken = done.cause();
      if (broken != null) {
        connected.remove(target, this);
      }
      while (!early.isEmpty()) {
        send(early.remove());
      }
    }

    void send(OutboundDatagram datagram) {
      if (channel != null) {
        write(datagram, true);
      } else if (broken != null) {
        failed(datagram, "no way to " + to.getAddress().getHostAddress() + ": " + broken, 0);
      } else if (early.size() < WAITING_MAX) {
        early.add(datagram);
      } else {
        failed(datagram, "too many datagrams wait for a socket", 0);
      }
    }

    /**
     * Writes a datagram. If an error waits in the socket, the write reports the error and sends
     * nothing.
     */
    private void write(OutboundDatagram datagram, boolean again) {
      options(datagram);
      latest = datagram.payload();
      ByteBuf bytes = Unpooled.wrappedBuffer(latest);
      channel
          .writeAndFlush(bytes)
          .addListener(
              done -> {
                if (done.cause() instanceof PortUnreachableException) {
                  unreachable();
                  if (again) {
                    write(datagram, false);
                  }
                } else if (!done.isSuccess()) {
                  String reason = String.valueOf(done.cause().getMessage());
                  boolean tooLong =
                      reason.toLowerCase(Locale.ROOT).contains("message too long")
                          || reason.contains("EMSGSIZE");
                  failed(datagram, reason, tooLong ? sockets.mtu(channel, v4) : 0);
                }
              });
    }

    private void options(OutboundDatagram datagram) {
      if (datagram.ttl() != ttl || datagram.trafficClass() != trafficClass) {
        ttl = datagram.ttl();
        trafficClass = datagram.trafficClass();
        sockets.header(channel, v4, ttl, trafficClass);
      }
    }

    void unreachable() {
      IcmpError error =
          new IcmpError(
              v4 ? 3 : 1,
              v4 ? 3 : 4,
              0,
              null,
              source,
              local().getPort(),
              to.getAddress(),
              to.getPort(),
              latest);
      port.tell(() -> port.listener().icmp(error));
    }

    void close() {
      if (channel != null) {
        channel.close().addListener(ChannelFutureListener.FIRE_EXCEPTION_ON_FAILURE);
      }
    }
  }

  /** Takes the datagrams and errors of one socket. */
  private final class Receiver extends SimpleChannelInboundHandler<DatagramPacket> {
    private final Connected peer;

    /** Creates a receiver; {@code peer} null: of the socket that is not connected. */
    Receiver(Connected peer) {
      this.peer = peer;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
      InboundDatagram datagram =
          new InboundDatagram(
              0,
              packet.sender().getAddress(),
              packet.sender().getPort(),
              source,
              local().getPort(),
              0,
              0,
              0,
              -1,
              0,
              true,
              ByteBufUtil.getBytes(packet.content()));
      port.tell(() -> port.listener().received(datagram));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      if (cause instanceof PortUnreachableException && peer != null) {
        peer.unreachable();
      }
    }
  }
}
