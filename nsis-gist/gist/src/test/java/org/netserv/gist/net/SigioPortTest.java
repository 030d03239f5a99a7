// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.gist.port.DatagramPort;
import org.netserv.gist.port.IcmpError;
import org.netserv.gist.port.InboundDatagram;
import org.netserv.gist.port.OutboundDatagram;

/** The port against the other end of a real socket, played by the test. */
@Timeout(60)
final class SigioPortTest {
  private static final byte[] PAYLOAD = HexFormat.of().parseHex("4e04bda50103000100008100");
  private static final String GONE = "sigio is not there";

  @TempDir Path directory;
  private MultiThreadIoEventLoopGroup group;
  private EventLoop loop;
  private ServerSocketChannel server;
  private SigioPort port;
  private final BlockingQueue<Object> heard = new LinkedBlockingQueue<>();
  private RuntimeException thrown;

  /** A failure that the listener was told. */
  private record Failure(OutboundDatagram datagram, String reason, int mtu) {}

  private final DatagramPort.Listener listener =
      new DatagramPort.Listener() {
        @Override
        public void received(InboundDatagram datagram) {
          heard.add(datagram);
          if (thrown != null) {
            throw thrown;
          }
        }

        @Override
        public void icmp(IcmpError error) {
          heard.add(error);
        }

        @Override
        public void failed(OutboundDatagram datagram, String reason, int mtu) {
          heard.add(new Failure(datagram, reason, mtu));
        }
      };

  @BeforeEach
  void open() throws IOException {
    group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    loop = group.next();
    server = listenAt(directory.resolve("sigio.sock"));
    port = new SigioPort(loop, directory.resolve("sigio.sock"));
  }

  @AfterEach
  void close() throws Exception {
    port.close();
    server.close();
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
  }

  private static ServerSocketChannel listenAt(Path path) throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(path));
    return server;
  }

  /** Takes the connection and its hello, and says hello. */
  private SocketChannel greet() throws IOException {
    SocketChannel sigio = server.accept();
    assertArrayEquals(SigioVectors.whole("hello"), take(sigio, 12));
    put(sigio, "hello");
    return sigio;
  }

  /** Connects, and waits until the port has seen the greeting and heard the frames behind it. */
  private SocketChannel connect() throws Exception {
    SocketChannel sigio = greet();
    put(sigio, "icmp4");
    assertEquals(IcmpError.class, next().getClass());
    return sigio;
  }

  private Object next() throws InterruptedException {
    return heard.poll(30, TimeUnit.SECONDS);
  }

  private static void put(SocketChannel sigio, String name) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(SigioVectors.whole(name));
    while (bytes.hasRemaining()) {
      sigio.write(bytes);
    }
  }

  private static byte[] take(SocketChannel sigio, int count) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(count);
    while (bytes.hasRemaining()) {
      if (sigio.read(bytes) < 0) {
        throw new EOFException();
      }
    }
    return bytes.array();
  }

  private static byte[] takeLike(SocketChannel sigio, String name) throws IOException {
    return take(sigio, SigioVectors.whole(name).length);
  }

  private static OutboundDatagram datagram(int payload) throws IOException {
    return new OutboundDatagram(
        InetAddress.getByName("192.0.2.1"),
        40_000,
        InetAddress.getByName("198.51.100.7"),
        270,
        64,
        0xb8,
        0,
        0xffdf,
        Arrays.copyOf(PAYLOAD, payload));
  }

  @Test
  void packetsComeUpAndVerdictsGoDown() throws Exception {
    port.listen(listener);
    SocketChannel sigio = connect();
    put(sigio, "packet4");
    InboundDatagram packet = (InboundDatagram) next();
    assertEquals("192.0.2.1", packet.source().getHostAddress());
    loop.execute(() -> port.forward(packet.token()));
    assertArrayEquals(SigioVectors.whole("verdict-on"), takeLike(sigio, "verdict-on"));
    loop.execute(() -> port.consume(packet.token()));
    assertArrayEquals(SigioVectors.whole("verdict-taken"), takeLike(sigio, "verdict-taken"));
    loop.execute(() -> port.forward(packet.token(), PAYLOAD));
    assertArrayEquals(SigioVectors.whole("verdict-payload"), takeLike(sigio, "verdict-payload"));
  }

  @Test
  void aDatagramOfTheSocketNeedsNoVerdict() throws Exception {
    port.listen(listener);
    SocketChannel sigio = connect();
    put(sigio, "packet6");
    InboundDatagram packet = (InboundDatagram) next();
    loop.execute(() -> port.consume(packet.token()));
    loop.execute(() -> port.consume(0x0102030405060708L));
    assertArrayEquals(SigioVectors.whole("verdict-taken"), takeLike(sigio, "verdict-taken"));
  }

  @Test
  void whatDidNotLeaveComesBack() throws Exception {
    port.listen(listener);
    SocketChannel sigio = connect();
    OutboundDatagram[] sent = new OutboundDatagram[10];
    for (int i = 1; i < 10; i++) {
      OutboundDatagram datagram = datagram(PAYLOAD.length);
      sent[i] = datagram;
      loop.execute(() -> port.send(datagram));
      byte[] frame = takeLike(sigio, "send4");
      assertEquals(i, ByteBuffer.wrap(frame).getLong(8));
    }
    put(sigio, "failed"); // token 9
    Failure failure = (Failure) next();
    assertSame(sent[9], failure.datagram());
    assertEquals(1280, failure.mtu());
    put(sigio, "failed"); // once is enough
    put(sigio, "icmp6");
    assertEquals(IcmpError.class, next().getClass());
  }

  @Test
  void withoutSigioSendingFails() throws Exception {
    server.close();
    OutboundDatagram datagram = datagram(12);
    port.listen(listener);
    loop.execute(() -> port.send(datagram));
    assertEquals(new Failure(datagram, GONE, 0), next());
    loop.execute(() -> port.forward(7));
    loop.submit(() -> {}).sync();
    assertEquals(1, port.counters().get("unsent"));
    assertEquals(1, port.counters().get("verdicts-lost"));
  }

  @Test
  void whatIsNoDatagramIsNotSent() throws Exception {
    OutboundDatagram tooLong = datagram(65_508);
    port.listen(listener);
    loop.execute(() -> port.send(tooLong));
    assertSame(tooLong, ((Failure) next()).datagram());
  }

  @Test
  void aSigioThatComesBackIsFound() throws Exception {
    port.listen(listener);
    for (int i = 0; i < 3; i++) {
      connect().close();
    }
    SocketChannel sigio = connect();
    put(sigio, "packet4");
    assertEquals(InboundDatagram.class, next().getClass());
  }

  @Test
  void nonsenseEndsTheConnectionAndNotThePort() throws Exception {
    port.listen(listener);
    SocketChannel sigio = connect();
    sigio.write(ByteBuffer.wrap(new byte[] {0x7f, 0, 0, 0, 2, 0, 0, 0}));
    assertEquals(-1, sigio.read(ByteBuffer.allocate(1)));
    sigio = connect();
    sigio.write(ByteBuffer.wrap(new byte[] {0, 0, 0, 4, 2, 0, 0, 0}));
    assertEquals(-1, sigio.read(ByteBuffer.allocate(1)));
    connect();
    assertEquals(2, port.counters().get("bad-frames"));
  }

  @Test
  void nothingBehindNonsenseIsBelieved() throws Exception {
    port.listen(listener);
    SocketChannel sigio = connect();
    byte[] packet = SigioVectors.whole("packet4");
    ByteBuffer both = ByteBuffer.allocate(8 + packet.length);
    both.put(new byte[] {0, 0, 0, 4, 2, 0, 0, 0}).put(packet).flip();
    sigio.write(both);
    assertEquals(-1, sigio.read(ByteBuffer.allocate(1)));
    connect(); // and hears the next one's frame first
    assertEquals(0, heard.size());
    assertEquals(1, port.counters().get("bad-frames"));
  }

  @Test
  void aSigioThatDiesHasSentNoNonsense() throws Exception {
    port.listen(listener);
    SocketChannel sigio = greet();
    put(sigio, "packet4");
    next();
    loop.submit(() -> port.consume(1)).sync(); // unread when it closes: the connection is reset
    sigio.close();
    connect();
    assertEquals(0, port.counters().get("bad-frames"));
  }

  @Test
  void everySigioIsToldHowMuchWeWantToSee() throws Exception {
    port.limit(10_000, 20_000);
    port.listen(listener);
    for (int i = 0; i < 2; i++) {
      SocketChannel sigio = greet();
      assertArrayEquals(SigioVectors.whole("limit"), takeLike(sigio, "limit"));
      sigio.close();
    }
  }

  @Test
  void anotherMajorVersionIsNotSpokenTo() throws Exception {
    port.listen(listener);
    SocketChannel sigio = server.accept();
    take(sigio, 12);
    sigio.write(ByteBuffer.wrap(new byte[] {0, 0, 0, 8, 1, 0, 0, 0, 0, 2, 0, 0}));
    assertEquals(-1, sigio.read(ByteBuffer.allocate(1)));
  }

  @Test
  void aFrameBeforeHelloEndsTheConnection() throws Exception {
    port.listen(listener);
    SocketChannel sigio = server.accept();
    take(sigio, 12);
    put(sigio, "packet4");
    assertEquals(-1, sigio.read(ByteBuffer.allocate(1)));
    assertEquals(0, heard.size());
  }

  @Test
  void aListenerThatFailsLetsThePacketGo() throws Exception {
    thrown = new IllegalStateException("on purpose");
    port.listen(listener);
    SocketChannel sigio = connect();
    put(sigio, "packet4");
    assertArrayEquals(SigioVectors.whole("verdict-on"), takeLike(sigio, "verdict-on"));
    assertEquals(1, port.counters().get("listener-failed"));
  }

  @Test
  void countersAreSigiosAndOurs() throws Exception {
    port.listen(listener);
    SocketChannel sigio = connect();
    put(sigio, "counters");
    put(sigio, "icmp4");
    next();
    assertEquals(1, port.counters().get("intercepted"));
    assertEquals(18, port.counters().get("bad-frame"));
    assertEquals(22, port.counters().get("overrun"));
    assertEquals(23, port.counters().get("refused"));
  }

  @Test
  void aSigioThatDoesNotReadMakesSendingFail() throws Exception {
    port.listen(listener);
    SocketChannel sigio = connect();
    OutboundDatagram large = datagram(60_000);
    for (int i = 0; i < 200; i++) { // 12 MB, of which sigio takes nothing
      loop.execute(() -> port.send(large));
    }
    assertEquals("sigio does not read", ((Failure) next()).reason());
    loop.submit(() -> {}).sync(); // the last one has been sent,
    loop.submit(() -> {}).sync(); // the last failure told
    heard.clear();
    sigio.close();
    connect();
  }
}
