// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.NetUtil;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.gist.port.DatagramPort;
import org.netserv.gist.port.IcmpError;
import org.netserv.gist.port.InboundDatagram;
import org.netserv.gist.port.OutboundDatagram;

/** Real sockets on loopback: Netty's native ones and the JDK's, IPv4 and IPv6. */
class SocketPortTest {
  private static final int ALERT = 65_503;
  private static final byte[] PAYLOAD = {0x4e, 0x04, (byte) 0xbd, (byte) 0xa5, 1, 2, 3, 4};

  private final ExecutorService gist = Executors.newSingleThreadExecutor();
  private final BlockingQueue<InboundDatagram> received = new LinkedBlockingQueue<>();
  private final BlockingQueue<IcmpError> errors = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> failures = new LinkedBlockingQueue<>();
  private SocketPort port;

  private void open(boolean nativeTransport) {
    port = new SocketPort(gist, nativeTransport);
    port.listen(
        new DatagramPort.Listener() {
          @Override
          public void received(InboundDatagram datagram) {
            received.add(datagram);
          }

          @Override
          public void icmp(IcmpError error) {
            errors.add(error);
          }

          @Override
          public void failed(OutboundDatagram datagram, String reason, int mtu) {
            failures.add(reason + " mtu " + mtu);
          }
        });
  }

  @AfterEach
  void close() {
    if (port != null) {
      port.close();
    }
    gist.shutdownNow();
  }

  private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
    T event = queue.poll(20, TimeUnit.SECONDS);
    assertNotNull(event, "nothing came");
    return event;
  }

  private static OutboundDatagram to(InetAddress address, int portNumber, byte[] payload) {
    return from(address, address, portNumber, payload);
  }

  private static OutboundDatagram from(
      InetAddress source, InetAddress address, int portNumber, byte[] payload) {
    return new OutboundDatagram(source, 0, address, portNumber, 77, 0, 0, ALERT, payload);
  }

  private static DatagramPacket take(DatagramSocket socket) throws Exception {
    socket.setSoTimeout(20_000);
    DatagramPacket packet = new DatagramPacket(new byte[70_000], 70_000);
    socket.receive(packet);
    return packet;
  }

  /** Returns a port that was free a moment ago. */
  private static int closedPort(InetAddress address) throws Exception {
    try (DatagramSocket socket = new DatagramSocket(0, address)) {
      return socket.getLocalPort();
    }
  }

  @ParameterizedTest
  @CsvSource({"127.0.0.1,true", "127.0.0.1,false", "::1,true", "::1,false"})
  void answersComeFromWhereWeSentAndFromElsewhere(String text, boolean nativeTransport)
      throws Exception {
    open(nativeTransport);
    InetAddress address = NetUtil.createInetAddressFromIpAddressString(text);
    try (DatagramSocket peer = new DatagramSocket(0, address);
        DatagramSocket other = new DatagramSocket(0, address)) {
      port.send(to(address, peer.getLocalPort(), PAYLOAD));
      DatagramPacket query = take(peer);
      assertArrayEquals(PAYLOAD, Arrays.copyOf(query.getData(), query.getLength()));
      assertEquals(address, query.getAddress());
      peer.send(new DatagramPacket(new byte[] {1}, 1, query.getSocketAddress()));
      InboundDatagram direct = next(received);
      assertArrayEquals(new byte[] {1}, direct.payload());
      assertEquals(address, direct.source());
      assertEquals(peer.getLocalPort(), direct.sourcePort());
      assertEquals(query.getPort(), direct.destinationPort());
      assertEquals(address, direct.destination());
      other.send(new DatagramPacket(new byte[] {2}, 1, query.getSocketAddress()));
      InboundDatagram indirect = next(received);
      assertArrayEquals(new byte[] {2}, indirect.payload());
      assertEquals(other.getLocalPort(), indirect.sourcePort());
      assertEquals(query.getPort(), indirect.destinationPort());
      assertEquals(0, indirect.token());
    }
  }

  @Test
  void anAnswerFromAnotherAddressComesToTheSamePort() throws Exception {
    open(true);
    InetAddress here = NetUtil.createInetAddressFromIpAddressString("127.0.0.1");
    InetAddress user = NetUtil.createInetAddressFromIpAddressString("127.0.0.2");
    InetAddress node = NetUtil.createInetAddressFromIpAddressString("127.0.0.3");
    try (DatagramSocket peer = new DatagramSocket(0, user);
        DatagramSocket router = new DatagramSocket(0, node)) {
      port.send(from(here, user, peer.getLocalPort(), PAYLOAD));
      DatagramPacket query = take(peer);
      router.send(new DatagramPacket(new byte[] {9}, 1, query.getSocketAddress()));
      assertEquals(node, next(received).source());
    }
  }

  @ParameterizedTest
  @CsvSource({"127.0.0.1,true", "127.0.0.1,false", "::1,true", "::1,false"})
  void aPortThatIsUnreachableIsAnIcmpErrorOfItsDestination(String text, boolean nativeTransport)
      throws Exception {
    open(nativeTransport);
    InetAddress address = NetUtil.createInetAddressFromIpAddressString(text);
    int nobody = closedPort(address);
    try (DatagramSocket peer = new DatagramSocket(0, address)) {
      port.send(to(address, peer.getLocalPort(), PAYLOAD));
      DatagramPacket query = take(peer);
      port.send(to(address, nobody, PAYLOAD));
      IcmpError error = next(errors);
      assertTrue(error.portUnreachable());
      assertEquals(nobody, error.destinationPort());
      assertEquals(address, error.destination());
      assertEquals(address, error.source());
      assertEquals(query.getPort(), error.sourcePort());
      assertArrayEquals(PAYLOAD, error.payload());
      // The flow beside it goes on, and so does this flow when a socket listens.
      port.send(to(address, peer.getLocalPort(), PAYLOAD));
      assertEquals(query.getPort(), take(peer).getPort());
      try (DatagramSocket late = new DatagramSocket(nobody, address)) {
        port.send(to(address, nobody, PAYLOAD));
        assertEquals(query.getPort(), take(late).getPort());
      }
    }
  }

  @Test
  void aDatagramThatIsTooLongForTheWayFailsWithItsMtu() throws Exception {
    open(true);
    InetAddress address = NetUtil.createInetAddressFromIpAddressString("::1");
    // 48 bytes of headers make it longer than loopback's 65,536.
    port.send(to(address, 9, new byte[65_500]));
    assertTrue(next(failures).endsWith("mtu 65536"));
    port.send(to(address, 9, new byte[65_508]));
    assertTrue(next(failures).contains("longer than UDP"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aForeignSourceCannotBeHad(boolean nativeTransport) throws Exception {
    open(nativeTransport);
    InetAddress foreign = NetUtil.createInetAddressFromIpAddressString("192.0.2.7");
    port.send(
        from(foreign, NetUtil.createInetAddressFromIpAddressString("127.0.0.1"), 270, PAYLOAD));
    assertTrue(next(failures).contains("192.0.2.7"));
  }

  @Test
  void withoutASourceTheKernelChooses() throws Exception {
    open(true);
    InetAddress address = NetUtil.createInetAddressFromIpAddressString("127.0.0.1");
    try (DatagramSocket peer = new DatagramSocket(0, address)) {
      port.send(from(null, address, peer.getLocalPort(), PAYLOAD));
      assertEquals(address, take(peer).getAddress());
    }
  }

  @Test
  void theJdksSocketsSayWhatTheyCannot() {
    open(false);
    assertTrue(port.limits().get(0).contains("router alert"), port.limits().toString());
  }

  @Test
  void theRouterAlertOptionNeedsNoRightOnIpv4() throws Exception {
    try (DatagramSockets sockets = new DatagramSockets(true, Thread::new)) {
      Channel channel = channel(sockets, "127.0.0.1");
      sockets.header(channel, true, 77, 0);
      sockets.routerAlert(channel, true, ALERT);
      ByteBuffer option = channel.config().getOption(DatagramSockets.IP_OPTIONS);
      byte[] bytes = new byte[4];
      option.get(bytes);
      assertArrayEquals(new byte[] {(byte) 0x94, 4, (byte) 0xff, (byte) 0xdf}, bytes);
      assertEquals(77, channel.config().getOption(DatagramSockets.IP_TTL));
      assertEquals(java.util.List.of(), sockets.limits());
    }
  }

  /** Root has the right. A process without it is told once and sends without the option. */
  @Test
  void theRouterAlertOptionOfIpv6IsThereOrSaidToBeMissing() throws Exception {
    try (DatagramSockets sockets = new DatagramSockets(true, Thread::new)) {
      Channel channel = channel(sockets, "::1");
      sockets.header(channel, false, 77, 0);
      sockets.routerAlert(channel, false, ALERT);
      sockets.routerAlert(channel, false, ALERT);
      assertEquals(77, channel.config().getOption(DatagramSockets.IPV6_UNICAST_HOPS));
      if (sockets.limits().isEmpty()) {
        ByteBuffer header = channel.config().getOption(DatagramSockets.IPV6_HOPOPTS);
        byte[] bytes = new byte[6];
        header.position(2).get(bytes);
        assertArrayEquals(new byte[] {5, 2, (byte) 0xff, (byte) 0xdf, 1, 0}, bytes);
      } else {
        assertEquals(1, sockets.limits().size());
        assertTrue(sockets.limits().get(0).contains("CAP_NET_RAW"), sockets.limits().toString());
      }
    }
  }

  private static Channel channel(DatagramSockets sockets, String address) throws Exception {
    assumeTrue(sockets.limits().isEmpty(), "no native transport on this machine");
    InetSocketAddress local =
        new InetSocketAddress(NetUtil.createInetAddressFromIpAddressString(address), 0);
    Channel channel =
        sockets.open(local, null, new ChannelInboundHandlerAdapter()).sync().channel();
    assertFalse(((InetSocketAddress) channel.localAddress()).getPort() == 0);
    return channel;
  }
}
