// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.LengthFieldPrepender;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.netserv.gist.port.DatagramPort;
import org.netserv.gist.port.InboundDatagram;
import org.netserv.gist.port.OutboundDatagram;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends and receives the datagrams of a node by the program sigio: {@code docs/protocols/sigio.md}.
 * All of it runs on one event loop, the GIST thread.
 *
 * <p>While sigio is away the port connects again, after 100 ms, doubling to 5 s. Datagrams that are
 * sent meanwhile fail. They also fail when sigio does not read (1 MiB waits). A verdict that cannot
 * be sent is no loss, because the packet goes on by itself.
 */
@SuppressWarnings(
    "FutureReturnValueIgnored") // a failure ends the channel, and the channel's handler hears of it
public final class SigioPort implements DatagramPort, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SigioPort.class);
  private static final int FIRST_WAIT_MILLIS = 100;
  private static final int LONGEST_WAIT_MILLIS = 5_000;
  private static final int WAITING_BYTES_MAX = 1 << 20;
  private static final byte[] NOTHING = {};

  private final EventLoop loop;
  private final Path socket;
  private final SigioCounters counters = new SigioCounters();
  private final Sent sent = new Sent();
  private Listener listener;
  private Channel channel;
  private boolean greeted;
  private boolean reading;
  private boolean closed;
  private int wait = FIRST_WAIT_MILLIS;
  private long lastToken;
  private byte[] limit;

  /**
   * Creates a port, which connects at {@link #listen}.
   *
   * @param loop of Netty's NIO transport
   */
  public SigioPort(EventLoop loop, Path socket) {
    this.loop = loop;
    this.socket = socket;
  }

  /**
   * Reads a packet and writes a verdict, of nobody. The first packet of a node then finds the
   * classes loaded.
   */
  public static void rehearse() {
    InetAddress nowhere = InetAddress.getLoopbackAddress();
    byte[] like =
        SigioFrame.send(
            0, new OutboundDatagram(nowhere, 0, nowhere, SigioFrame.PORT, 1, 0, 0, 0, NOTHING));
    like[0] = SigioFrame.TYPE_PACKET; // the endpoints of both frames have one form
    try {
      if (SigioFrame.read(ByteBuffer.wrap(like)) instanceof SigioFrame.Packet packet) {
        SigioFrame.verdict(packet.datagram().token(), SigioFrame.Verdict.TAKEN, NOTHING);
      }
    } catch (SigioFrame.FormatException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void listen(Listener listener) {
    this.listener = listener;
    loop.execute(this::connect);
  }

  /**
   * Limits the packets of the queue and the datagrams of the sockets that sigio shows us a second,
   * each 1 to 10,000,000. Without this call the limits are 5,000 each. Call it before {@link
   * #listen}.
   */
  public void limit(int packets, int datagrams) {
    limit = SigioFrame.limit(packets, datagrams);
  }

  /** Returns whether sigio is there and speaks our version. */
  public boolean connected() {
    return greeted;
  }

  /**
   * Returns sigio's counters, as of a second ago, and our own, by name. Callable from any thread.
   */
  public Map<String, Long> counters() {
    return counters.all();
  }

  @Override
  public void send(OutboundDatagram datagram) {
    if (!sendable(datagram)) {
      fail(datagram, "not a datagram that can be sent");
    } else if (!greeted || !channel.isWritable()) {
      fail(datagram, greeted ? "sigio does not read" : "sigio is not there");
    } else {
      sent.put(++lastToken, datagram);
      write(SigioFrame.send(lastToken, datagram));
    }
  }

  private static boolean sendable(OutboundDatagram datagram) {
    int family = datagram.destination().getAddress().length;
    return datagram.payload().length <= SigioFrame.PAYLOAD_MAX
        && (datagram.source() == null || datagram.source().getAddress().length == family);
  }

  /** Reports a failure to the listener, after the listener's own call has returned. */
  private void fail(OutboundDatagram datagram, String reason) {
    counters.add(SigioCounters.Own.UNSENT);
    loop.execute(() -> listener.failed(datagram, reason, 0));
  }

  @Override
  public void forward(long token) {
    verdict(token, SigioFrame.Verdict.GO_ON, NOTHING);
  }

  @Override
  public void forward(long token, byte[] payload) {
    if (payload.length > SigioFrame.PAYLOAD_MAX) {
      forward(token);
    } else {
      verdict(token, SigioFrame.Verdict.GO_ON_WITH_PAYLOAD, payload);
    }
  }

  @Override
  public void consume(long token) {
    verdict(token, SigioFrame.Verdict.TAKEN, NOTHING);
  }

  private void verdict(long token, SigioFrame.Verdict verdict, byte[] payload) {
    if (token == 0) {
      return; // the packet came to the socket, so no packet waits
    }
    if (greeted && channel.isWritable()) {
      write(SigioFrame.verdict(token, verdict, payload));
    } else {
      counters.add(SigioCounters.Own.VERDICTS_LOST);
    }
  }

  /**
   * Writes a frame. While frames come in, written frames leave together after all waiting frames
   * were read.
   */
  private void write(byte[] frame) {
    channel.write(Unpooled.wrappedBuffer(frame), channel.voidPromise());
    if (!reading) {
      channel.flush();
    }
  }

  // --- the connection ---

  private void connect() {
    if (closed) {
      return;
    }
    new Bootstrap()
        .group(loop)
        .channel(NioDomainSocketChannel.class)
        .option(
            ChannelOption.WRITE_BUFFER_WATER_MARK,
            new WriteBufferWaterMark(WAITING_BYTES_MAX / 2, WAITING_BYTES_MAX))
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel ch) {
                ch.pipeline()
                    .addLast(
                        new LengthFieldBasedFrameDecoder(SigioFrame.LENGTH_MAX + 4, 0, 4, 0, 4))
                    .addLast(new LengthFieldPrepender(4))
                    .addLast(new Handler());
              }
            })
        .connect(UnixDomainSocketAddress.of(socket))
        .addListener((ChannelFuture attempt) -> connected(attempt));
  }

  private void connected(ChannelFuture attempt) {
    if (!attempt.isSuccess()) {
      LOG.debug("{}: {}", socket, String.valueOf(attempt.cause()));
      later();
    } else if (closed) {
      attempt.channel().close();
    }
  }

  private void later() {
    if (closed || loop.isShuttingDown()) {
      return;
    }
    loop.schedule(this::connect, wait, TimeUnit.MILLISECONDS);
    wait = Math.min(2 * wait, LONGEST_WAIT_MILLIS);
  }

  private void disconnected() {
    if (greeted) {
      LOG.warn("sigio has gone; foreign packets go on without us");
    }
    greeted = false;
    reading = false;
    channel = null;
    sent.clear();
    later();
  }

  private void received(SigioFrame frame) throws SigioFrame.FormatException {
    if (!greeted && !(frame instanceof SigioFrame.Hello)) {
      throw new SigioFrame.FormatException("no hello");
    }
    if (frame instanceof SigioFrame.Hello hello) {
      greet(hello);
    } else if (frame instanceof SigioFrame.Packet packet) {
      received(packet.datagram());
    } else if (frame instanceof SigioFrame.Icmp icmp) {
      tell(() -> listener.icmp(icmp.error()));
    } else if (frame instanceof SigioFrame.Failed failed) {
      failed(failed);
    } else if (frame instanceof SigioFrame.Counters told) {
      counters.told(told.values());
    } else {
      counters.add(SigioCounters.Own.BAD_FRAMES);
    }
  }

  private void greet(SigioFrame.Hello hello) throws SigioFrame.FormatException {
    if (hello.major() != SigioFrame.MAJOR) {
      throw new SigioFrame.FormatException("sigio speaks version " + hello.major());
    }
    if (!greeted) {
      LOG.info("sigio is there");
    }
    greeted = true;
    wait = FIRST_WAIT_MILLIS;
  }

  private void received(InboundDatagram datagram) {
    if (!tell(() -> listener.received(datagram))) {
      forward(datagram.token());
    }
  }

  private void failed(SigioFrame.Failed failed) {
    OutboundDatagram datagram = sent.remove(failed.token());
    if (datagram != null) {
      tell(() -> listener.failed(datagram, failed.reason(), failed.mtu()));
    }
  }

  /** Calls the listener. An exception of the listener must not end the connection. */
  private boolean tell(Runnable call) {
    try {
      call.run();
      return true;
    } catch (RuntimeException e) {
      counters.add(SigioCounters.Own.LISTENER_FAILED);
      LOG.error("listener", e);
      return false;
    }
  }

  @Override
  public void close() {
    loop.execute(
        () -> {
          closed = true;
          if (channel != null) {
            channel.close();
          }
        });
  }

  /** One connection. */
  private final class Handler extends SimpleChannelInboundHandler<ByteBuf> {
    @Override
    public void channelActive(ChannelHandlerContext context) {
      channel = context.channel();
      write(SigioFrame.hello());
      if (limit != null) {
        write(limit);
      }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf frame)
        throws SigioFrame.FormatException {
      if (!context.channel().isActive()) {
        return; // a frame before this one made no sense
      }
      reading = true;
      received(SigioFrame.read(frame.nioBuffer()));
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      reading = false;
      context.flush();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      disconnected();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      if (!(cause instanceof IOException)) {
        counters.add(SigioCounters.Own.BAD_FRAMES);
      }
      LOG.warn("sigio: {}", cause.getMessage());
      context.close();
    }
  }

  /** The latest datagrams sent, kept because sigio may report one as failed. */
  private static final class Sent extends LinkedHashMap<Long, OutboundDatagram> {
    private static final long serialVersionUID = 1;
    private static final int KEPT = 512;

    @Override
    protected boolean removeEldestEntry(Map.Entry<Long, OutboundDatagram> eldest) {
      return size() > KEPT;
    }
  }
}
