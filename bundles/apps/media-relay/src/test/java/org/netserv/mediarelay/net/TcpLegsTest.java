// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.netserv.mediarelay.core.Client;
import org.netserv.mediarelay.core.Transport;
import org.netserv.mediarelay.core.Why;
import org.netserv.packet.Tally;

class TcpLegsTest {
  private static final int MOST = 80;

  private final Messages messages = new Messages();
  private final Tally<Why> tally = new Tally<>(Why.class);
  private final List<SocketChannel> clients = new ArrayList<>();
  private TestLoop loop;
  private TcpLegs legs;
  private int port;

  @BeforeEach
  void listen() throws IOException {
    loop = new TestLoop();
    legs = new TcpLegs(loop, messages, tally, null, MOST);
    port = freePort();
    legs.listen(port);
  }

  static int freePort() throws IOException {
    try (ServerSocket any = new ServerSocket(0)) {
      return any.getLocalPort();
    }
  }

  @AfterEach
  void close() throws IOException {
    for (SocketChannel client : clients) {
      client.close();
    }
    legs.close();
    loop.close();
  }

  private SocketChannel connect() throws IOException {
    SocketChannel client = SocketChannel.open();
    clients.add(client);
    client.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    client.configureBlocking(false);
    return client;
  }

  private SocketChannel connected() throws IOException {
    int before = legs.connectionCount();
    SocketChannel client = connect();
    assertTrue(loop.until(() -> legs.connectionCount() == before + 1));
    return client;
  }

  private static void send(SocketChannel client, byte[] bytes) throws IOException {
    ByteBuffer rest = ByteBuffer.wrap(bytes);
    while (rest.hasRemaining()) {
      client.write(rest);
    }
  }

  /** Returns as many bytes as come, at most. An ended connection is shorter. */
  private byte[] receive(SocketChannel client, int length) throws IOException {
    ByteBuffer got = ByteBuffer.allocate(length);
    boolean[] ended = new boolean[1];
    loop.until(
        () -> {
          try {
            ended[0] |= client.read(got) < 0;
          } catch (IOException e) {
            ended[0] = true;
          }
          return ended[0] || !got.hasRemaining();
        });
    return Arrays.copyOf(got.array(), got.position());
  }

  private boolean isEnded(SocketChannel client) throws IOException {
    return loop.until(
        () -> {
          try {
            return client.read(ByteBuffer.allocate(1)) < 0;
          } catch (IOException e) {
            return true; // reset
          }
        });
  }

  private Client client(int number) {
    return messages.clients.get(number);
  }

  @Test
  void messagesComeAndAreAnswered() throws IOException {
    SocketChannel client = connected();
    send(client, Messages.joined(Messages.stun(0), Messages.channelData(0x4000, 5)));
    assertTrue(loop.until(() -> messages.received.size() == 2));
    assertEquals(HexFormat.of().formatHex(Messages.stun(0)), messages.received.get(0));
    assertEquals("400000050102030405", messages.received.get(1));
    assertSame(client(0), client(1));
    assertEquals(Transport.TCP, client(0).transport());
    assertEquals(0xffff_7f00_0001L, client(0).low());
    assertEquals(port, client(0).serverPort());
    assertEquals(((InetSocketAddress) client.getLocalAddress()).getPort(), client(0).port());
    // without padding from the relay, with padding to the client
    assertTrue(
        client(0).way().send(client(0), ByteBuffer.wrap(Messages.channelData(0x4000, 5)), 0, 9));
    assertArrayEquals(Messages.channelData(0x4000, 5), receive(client, 12));
  }

  @Test
  void aConnectionThatBreaksTheRulesIsClosed() throws IOException {
    SocketChannel client = connected();
    send(client, Messages.joined(Messages.stun(0), new byte[] {(byte) 0x80, 0, 0, 0}));
    assertTrue(isEnded(client));
    assertEquals(1, messages.received.size());
    assertEquals(List.of(client(0)), messages.gone);
    assertEquals(1, tally.get(Why.STREAM_BROKEN));
    assertEquals(0, legs.connectionCount());
    assertFalse(client(0).way().send(client(0), ByteBuffer.allocate(20), 0, 20));
  }

  @Test
  void anEndIsHeardOnce() throws IOException {
    SocketChannel client = connected();
    send(client, Messages.stun(0));
    assertTrue(loop.until(() -> messages.received.size() == 1));
    client.close();
    assertTrue(loop.until(() -> !messages.gone.isEmpty()));
    client(0).way().close(client(0));
    assertEquals(1, messages.gone.size());
    assertEquals(0, legs.halfOpenCount());
  }

  @Test
  void connectionsOfOneSourceThatShowNothingAreFew() throws IOException {
    for (int i = 0; i < TcpLegs.HALF_OPEN_SOURCE_MOST; i++) {
      connect();
    }
    assertTrue(loop.until(() -> legs.halfOpenCount() == TcpLegs.HALF_OPEN_SOURCE_MOST));
    assertTrue(isEnded(connect()));
    assertEquals(1, tally.get(Why.STREAM_CROWD));
    send(clients.get(0), Messages.stun(0));
    assertTrue(loop.until(() -> legs.halfOpenCount() == TcpLegs.HALF_OPEN_SOURCE_MOST - 1));
    connected();
    loop.pass(TcpConnection.FIRST_NANOS + 1);
    assertEquals(0, legs.halfOpenCount());
    assertEquals(1, legs.connectionCount());
    assertEquals(TcpLegs.HALF_OPEN_SOURCE_MOST, tally.get(Why.STREAM_HALF_OPEN));
    assertTrue(isEnded(clients.get(1)));
  }

  @Test
  void allConnectionsTogetherAreBounded() throws IOException {
    for (int i = 0; i < MOST; i++) {
      SocketChannel client = connected();
      send(client, Messages.stun(0));
      int expected = i + 1;
      assertTrue(loop.until(() -> messages.received.size() == expected));
    }
    assertTrue(isEnded(connect()));
    assertEquals(MOST, legs.connectionCount());
    assertEquals(0, legs.halfOpenCount());
    clients.get(3).close();
    assertTrue(loop.until(() -> legs.connectionCount() == MOST - 1));
    connected();
  }

  @Test
  void aClientThatDripsItsFirstMessageIsClosed() throws IOException {
    SocketChannel client = connected();
    send(client, Arrays.copyOf(Messages.stun(0), 19));
    for (int i = 0; i < 10; i++) {
      loop.turn();
    }
    loop.pass(TcpConnection.FIRST_NANOS + 1);
    assertTrue(isEnded(client));
    assertEquals(List.of(), messages.received);
  }

  @Test
  void aClientWithoutAllocationIsClosedAfterAWhile() throws IOException {
    SocketChannel client = connected();
    send(client, Messages.stun(0));
    assertTrue(loop.until(() -> messages.received.size() == 1));
    loop.pass(TcpConnection.IDLE_NANOS);
    assertEquals(1, legs.connectionCount());
    send(client, Messages.stun(0));
    assertTrue(loop.until(() -> messages.received.size() == 2));
    loop.pass(TcpConnection.IDLE_NANOS);
    assertEquals(1, legs.connectionCount());
    loop.pass(1_000_000_000L);
    assertEquals(0, legs.connectionCount());
    assertEquals(1, tally.get(Why.STREAM_IDLE));
  }

  @Test
  void aClientThatReadsNothingLosesMediaAndIsClosedInTheEnd() throws IOException {
    SocketChannel client = connect();
    client.setOption(StandardSocketOptions.SO_RCVBUF, 4096);
    send(client, Messages.stun(0));
    assertTrue(loop.until(() -> messages.received.size() == 1));
    ByteBuffer data = ByteBuffer.wrap(Messages.channelData(0x4000, 1200));
    int sent = 0;
    while (sent < 100_000 && client(0).way().send(client(0), data, 0, 1204)) {
      sent++;
    }
    assertTrue(sent > 20 && sent < 100_000, sent + " sent");
    // an answer still has room
    assertTrue(client(0).way().send(client(0), ByteBuffer.wrap(Messages.stun(80)), 0, 100));
    loop.pass(TcpConnection.SLOW_NANOS + 1);
    assertEquals(1, tally.get(Why.STREAM_SLOW));
    assertEquals(List.of(client(0)), messages.gone);
  }

  @Test
  void aClientThatReadsAgainGetsWhatWaited() throws IOException {
    SocketChannel client = connected();
    send(client, Messages.stun(0));
    assertTrue(loop.until(() -> messages.received.size() == 1));
    byte[] data = Messages.channelData(0x4000, 1200);
    int sent = 0;
    while (client(0).way().send(client(0), ByteBuffer.wrap(data), 0, data.length)) {
      sent++;
    }
    client(0).way().close(client(0)); // after what waits
    byte[] got = receive(client, sent * data.length + 1);
    assertEquals(sent * data.length, got.length);
    for (int i = 0; i < sent; i++) {
      assertArrayEquals(data, Arrays.copyOfRange(got, i * data.length, (i + 1) * data.length));
    }
    assertEquals(List.of(client(0)), messages.gone);
  }

  @Test
  void tlsWithoutAKeyIsRefused() throws IOException {
    SocketChannel client = connected();
    send(client, new byte[] {22, 3, 1, 0, 100, 1, 0, 0});
    loop.pass(TcpConnection.FIRST_NANOS + 1);
    loop.turn();
    loop.pass(TcpConnection.FIRST_NANOS + 1);
    assertTrue(isEnded(client));
    assertEquals(List.of(), messages.received);
  }
}
