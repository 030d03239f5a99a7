// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.netserv.mediarelay.core.Client;
import org.netserv.mediarelay.core.PeerStreams;
import org.netserv.mediarelay.core.RelayedRange;
import org.netserv.mediarelay.core.Why;
import org.netserv.packet.Tally;

class TcpPeersTest implements PeerStreams.Heard {
  private static final long LOOPBACK = 0xffff_7f00_0001L;
  private static final long RELAYED = 0xffff_cb00_7101L; // 203.0.113.1

  private final Messages messages = new Messages();
  private final Tally<Why> tally = new Tally<>(Why.class);
  private final List<SocketChannel> channels = new ArrayList<>();
  private final List<String> heard = new ArrayList<>();
  private PeerStreams.PeerStream last;
  private PeerStreams.PeerStream accepted;
  private TestLoop loop;
  private TcpLegs legs;
  private TcpPeers peers;
  private ServerSocketChannel elsewhere;
  private int port;

  @BeforeEach
  void open() throws IOException {
    loop = new TestLoop();
    legs = new TcpLegs(loop, messages, tally, null, 10);
    peers = new TcpPeers(loop, tally, 20, List.of(new RelayedRange(0, RELAYED, 1, 0xffff)));
    port = TcpLegsTest.freePort();
    legs.listen(port);
    elsewhere = ServerSocketChannel.open();
    elsewhere.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    elsewhere.configureBlocking(false);
  }

  @AfterEach
  void close() throws IOException {
    for (SocketChannel channel : channels) {
      channel.close();
    }
    elsewhere.close();
    peers.close();
    legs.close();
    loop.close();
  }

  @Override
  public void accepted(PeerStreams.Listening at, PeerStreams.PeerStream peer) {
    heard.add("accepted " + at.port());
    accepted = peer;
    last = peer;
  }

  @Override
  public void connected(PeerStreams.PeerStream peer) {
    heard.add("connected");
    last = peer;
  }

  @Override
  public void failed(PeerStreams.PeerStream peer, String reason) {
    heard.add("failed " + reason);
  }

  @Override
  public void ended(PeerStreams.PeerStream peer, long bytesToPeer, long bytesFromPeer) {
    heard.add("ended " + bytesToPeer + " " + bytesFromPeer);
  }

  private SocketChannel connect(int to) throws IOException {
    SocketChannel channel = SocketChannel.open();
    channels.add(channel);
    channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), to));
    channel.configureBlocking(false);
    return channel;
  }

  private int elsewherePort() throws IOException {
    return ((InetSocketAddress) elsewhere.getLocalAddress()).getPort();
  }

  private SocketChannel takeElsewhere() throws IOException {
    SocketChannel[] taken = new SocketChannel[1];
    assertTrue(
        loop.until(
            () -> {
              try {
                taken[0] = taken[0] == null ? elsewhere.accept() : taken[0];
              } catch (IOException e) {
                return true;
              }
              return taken[0] != null;
            }));
    channels.add(taken[0]);
    taken[0].configureBlocking(false);
    return taken[0];
  }

  private byte[] receive(SocketChannel channel, int length) throws IOException {
    ByteBuffer got = ByteBuffer.allocate(length);
    boolean[] ended = new boolean[1];
    loop.until(
        () -> {
          try {
            ended[0] |= channel.read(got) < 0;
          } catch (IOException e) {
            ended[0] = true;
          }
          return ended[0] || !got.hasRemaining();
        });
    return Arrays.copyOf(got.array(), got.position());
  }

  /** Returns a client's data connection that has sent one message, with bytes behind it. */
  private SocketChannel data(byte[] behind) throws IOException {
    SocketChannel channel = connect(port);
    int before = messages.received.size();
    channel.write(ByteBuffer.wrap(Messages.joined(Messages.stun(0), behind)));
    assertTrue(loop.until(() -> messages.received.size() == before + 1));
    return channel;
  }

  private Client lastClient() {
    return messages.clients.get(messages.clients.size() - 1);
  }

  @Test
  void aPeerConnectsAndIsJoined() throws IOException {
    PeerStreams.Listening at = peers.listen(4, TcpLegsTest.freePort(), this);
    SocketChannel peer = connect(at.port());
    assertTrue(loop.until(() -> heard.size() == 1));
    assertEquals(List.of("accepted " + at.port()), heard);
    assertEquals(RELAYED, last.low()); // all that comes by loopback comes from a relayed address
    assertEquals(((InetSocketAddress) peer.getLocalAddress()).getPort(), last.port());
    peer.write(ByteBuffer.wrap(new byte[] {1, 2, 3})); // stays in the kernel
    SocketChannel client = data(new byte[0]);
    peers.join(last, lastClient());
    assertArrayEquals(new byte[] {1, 2, 3}, receive(client, 3));
    client.write(ByteBuffer.wrap(new byte[] {(byte) 0x80, 5}));
    assertArrayEquals(new byte[] {(byte) 0x80, 5}, receive(peer, 2));
    peer.close();
    assertEquals(0, receive(client, 1).length);
    assertEquals(List.of("accepted " + at.port(), "ended 2 3"), heard);
    assertEquals(0, peers.connectionCount());
    assertEquals(0, legs.connectionCount());
  }

  @Test
  void theRelayConnectsFromItsPortWhileItListensThere() throws IOException {
    PeerStreams.Listening at = peers.listen(4, TcpLegsTest.freePort(), this);
    peers.connect(at, 0, LOOPBACK, elsewherePort(), this);
    SocketChannel peer = takeElsewhere();
    assertTrue(loop.until(() -> heard.contains("connected")));
    assertEquals(at.port(), ((InetSocketAddress) peer.getRemoteAddress()).getPort());
    connect(at.port());
    assertTrue(loop.until(() -> heard.contains("accepted " + at.port())));
  }

  @Test
  void twoRelayedAddressesReachEachOther() throws IOException {
    PeerStreams.Listening one = peers.listen(4, TcpLegsTest.freePort(), this);
    PeerStreams.Listening other = peers.listen(4, TcpLegsTest.freePort(), this);
    PeerStreams.PeerStream made = peers.connect(one, 0, RELAYED, other.port(), this);
    assertTrue(loop.until(() -> heard.size() == 2));
    assertTrue(heard.contains("accepted " + other.port()), heard.toString());
    assertTrue(heard.contains("connected"), heard.toString());
    assertEquals(RELAYED, made.low());
    assertEquals(other.port(), made.port());
    assertEquals(RELAYED, accepted.low());
    assertEquals(one.port(), accepted.port());
    SocketChannel first = data(new byte[0]);
    peers.join(made, lastClient());
    SocketChannel second = data(new byte[0]);
    peers.join(accepted, lastClient());
    first.write(ByteBuffer.wrap(new byte[] {1, 2}));
    assertArrayEquals(new byte[] {1, 2}, receive(second, 2));
    second.write(ByteBuffer.wrap(new byte[] {3}));
    assertArrayEquals(new byte[] {3}, receive(first, 1));
  }

  @Test
  void bytesBehindTheRequestGoToThePeer() throws IOException {
    PeerStreams.Listening at = peers.listen(4, TcpLegsTest.freePort(), this);
    peers.connect(at, 0, LOOPBACK, elsewherePort(), this);
    SocketChannel peer = takeElsewhere();
    assertTrue(loop.until(() -> heard.contains("connected")));
    PeerStreams.PeerStream made = last;
    SocketChannel client = connect(port);
    messages.onNext = from -> peers.join(made, from);
    client.write(ByteBuffer.wrap(Messages.joined(Messages.stun(0), new byte[] {9, 8, 7})));
    assertArrayEquals(new byte[] {9, 8, 7}, receive(peer, 3));
  }

  @Test
  void aSlowSideHoldsTheOtherOneBackAndLosesNothing() throws IOException {
    PeerStreams.Listening at = peers.listen(4, TcpLegsTest.freePort(), this);
    SocketChannel peer = connect(at.port());
    assertTrue(loop.until(() -> heard.size() == 1));
    SocketChannel client = data(new byte[0]);
    peers.join(last, lastClient());
    byte[] row = new byte[30_000];
    for (int i = 0; i < row.length; i++) {
      row[i] = (byte) (i * 7);
    }
    long written = 0;
    for (int idle = 0; idle < 20; ) { // until nobody takes any more
      int count =
          peer.write(
              ByteBuffer.wrap(
                  row, (int) (written % row.length), row.length - (int) (written % row.length)));
      written += count;
      idle = count == 0 ? idle + 1 : 0;
      loop.turn();
    }
    assertTrue(written > 100_000, written + " bytes");
    byte[] got = receive(client, (int) written);
    assertEquals(written, got.length);
    for (int i = 0; i < got.length; i++) {
      if (got[i] != row[i % row.length]) {
        assertEquals(row[i % row.length], got[i], "byte " + i);
      }
    }
  }

  @Test
  void aRefusedConnectionIsTold() throws IOException {
    PeerStreams.Listening at = peers.listen(4, TcpLegsTest.freePort(), this);
    peers.connect(at, 0, LOOPBACK, TcpLegsTest.freePort(), this);
    assertTrue(loop.until(() -> !heard.isEmpty()));
    assertEquals(List.of("failed refused"), heard);
    assertEquals(0, peers.connectionCount());
  }

  @Test
  void peersThatNobodyBindsAreFew() throws IOException {
    PeerStreams.Listening at = peers.listen(4, TcpLegsTest.freePort(), this);
    for (int i = 0; i < TcpPeers.ALONE_MOST + 1; i++) {
      connect(at.port());
    }
    assertTrue(loop.until(() -> tally.get(Why.PEER_CROWD) == 1));
    assertEquals(TcpPeers.ALONE_MOST, heard.size());
    at.close();
    assertEquals(0, peers.connectionCount());
    assertEquals(2 * TcpPeers.ALONE_MOST, heard.size()); // each has ended
  }

  @Test
  void aJoinedConnectionOutlivesItsPort() throws IOException {
    PeerStreams.Listening at = peers.listen(4, TcpLegsTest.freePort(), this);
    SocketChannel peer = connect(at.port());
    assertTrue(loop.until(() -> heard.size() == 1));
    SocketChannel client = data(new byte[0]);
    peers.join(last, lastClient());
    at.close();
    client.write(ByteBuffer.wrap(new byte[] {4}));
    assertArrayEquals(new byte[] {4}, receive(peer, 1));
    last.close();
    assertEquals(0, receive(client, 1).length);
  }
}
