// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.gist.association.AssociationCounters.Counter;

/** Real connections on loopback: TCP and TLS, IPv4 and IPv6. */
class NettyLinksTest {
  private static final List<Integer> TCP = LinkNode.TCP;
  private static final NodeCertificate OURS = LinkNode.certificate("a.example");
  private static final NodeCertificate THEIRS = LinkNode.certificate("b.example");

  private final TestLoop loop = new TestLoop();
  private final List<LinkNode> nodes = new ArrayList<>();

  @AfterEach
  void stop() throws Exception {
    for (LinkNode node : nodes) {
      loop.on(
          () -> {
            node.links.close();
            return null;
          });
    }
    loop.close();
  }

  private LinkNode node(LinkSettings settings, NodeCertificate own, NodeCertificate other) {
    LinkNode node = new LinkNode(loop, settings, own, LinkNode.allow(other));
    nodes.add(node);
    return node;
  }

  private LinkNode ours() {
    return node(LinkSettings.DEFAULT, OURS, THEIRS);
  }

  private LinkNode theirs() {
    return node(LinkSettings.DEFAULT, THEIRS, OURS);
  }

  private static LinkSettings settings(
      List<InetAddress> addresses, int port, int pendingMax, int acceptedMax, Duration patience) {
    return new LinkSettings(
        true, true, addresses, port, 0, 1024, pendingMax, acceptedMax, patience, patience);
  }

  private static LinkSettings settings(int pendingMax, int acceptedMax) {
    return settings(List.of(), 0, pendingMax, acceptedMax, Duration.ofSeconds(60));
  }

  private static List<Integer> stack(String name) {
    return name.equals("TLS") ? LinkNode.TLS : TCP;
  }

  private static InetAddress ip(String text) throws Exception {
    return InetAddress.getByName(text);
  }

  private void send(LinkNode.Side side, byte[] message) throws Exception {
    loop.on(
        () -> {
          side.link.send(message);
          return null;
        });
  }

  private void assertReceived(LinkNode.Side side, List<byte[]> expected) throws Exception {
    loop.until(() -> side.received.size() >= expected.size());
    List<byte[]> received = loop.on(() -> List.copyOf(side.received));
    assertEquals(expected.size(), received.size());
    for (int i = 0; i < received.size(); i++) {
      assertArrayEquals(expected.get(i), received.get(i), "message " + i);
    }
  }

  @ParameterizedTest
  @CsvSource({"TCP,127.0.0.1", "TCP,::1", "TLS,127.0.0.1", "TLS,::1"})
  void messagesGoBothWaysInOrder(String kind, String address) throws Exception {
    LinkNode a = ours();
    LinkNode b = theirs();
    LinkNode.Side from = a.connect(stack(kind), ip(address), b.port(stack(kind)));
    loop.until(() -> from.connected && b.accepted.size() == 1);
    LinkNode.Side to = b.accepted.get(0);
    assertFalse(from.early, "told before connect had returned");
    assertFalse(to.connected, "what was accepted is connected");
    assertEquals(stack(kind), to.link.stack());
    assertEquals(ip(address), from.link.local().getAddress());
    assertEquals(from.link.local(), to.link.remote());
    boolean tls = kind.equals("TLS");
    assertEquals(tls ? "key:" + THEIRS.fingerprint() : "", from.link.peerName());
    assertEquals(tls ? "key:" + OURS.fingerprint() : "", to.link.peerName());
    List<byte[]> there = new ArrayList<>();
    List<byte[]> back = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      there.add(MessageFramingTest.message(i * 37 % 4000, i));
      back.add(MessageFramingTest.message(i * 41 % 4000, -i));
      send(from, there.get(i));
      send(to, back.get(i));
    }
    assertReceived(to, there);
    assertReceived(from, back);
    loop.until(() -> from.link.pending() == 0 && to.link.pending() == 0);
    assertEquals(1, a.count(Counter.LINK_CONNECTED));
    assertEquals(1, b.count(Counter.LINK_ACCEPTED));
  }

  @ParameterizedTest
  @CsvSource({"TCP", "TLS"})
  void closingDeliversWhatWasSent(String kind) throws Exception {
    LinkNode a = ours();
    LinkNode b = theirs();
    LinkNode.Side from = a.connect(stack(kind), ip("127.0.0.1"), b.port(stack(kind)));
    loop.until(() -> from.connected && b.accepted.size() == 1);
    LinkNode.Side to = b.accepted.get(0);
    List<byte[]> all = new ArrayList<>();
    loop.on(
        () -> {
          for (int i = 0; i < 40; i++) {
            all.add(MessageFramingTest.message(4000, i));
            from.link.send(all.get(i));
            to.link.send(all.get(i)); // unread at our side when it closes
          }
          from.link.close();
          return null;
        });
    assertReceived(to, all);
    loop.until(() -> !to.closed.isEmpty());
    assertEquals(List.of("closed by the peer"), to.closed);
    assertEquals(List.of(), from.closed);
    assertEquals(List.of(), from.received);
  }

  @Test
  void beforeItIsConnectedSendingIsRefusedAndClosingIsQuiet() throws Exception {
    LinkNode a = ours();
    LinkNode b = theirs();
    int port = b.port(TCP);
    LinkNode.Side side = new LinkNode.Side();
    loop.on(
        () -> {
          InetAddress address = ip("127.0.0.1");
          side.link = a.links.connect(TCP, address, new InetSocketAddress(address, port), side);
          assertThrows(IllegalStateException.class, () -> side.link.send(new byte[8]));
          side.link.close();
          return null;
        });
    LinkNode.Side second = a.connect(TCP, ip("127.0.0.1"), port);
    loop.until(() -> second.connected);
    assertFalse(side.connected);
    assertEquals(List.of(), side.closed);
    loop.until(() -> b.accepted.size() == 1);
  }

  @Test
  void aRefusedConnectionIsToldOnceAndLater() throws Exception {
    LinkNode a = ours();
    int free;
    try (ServerSocket socket = new ServerSocket(0)) {
      free = socket.getLocalPort();
    }
    LinkNode.Side side = a.connect(TCP, ip("127.0.0.1"), free);
    loop.until(() -> !side.closed.isEmpty());
    assertEquals(1, side.closed.size());
    assertTrue(side.closed.get(0).startsWith("cannot connect: "), side.closed.get(0));
    assertFalse(side.early);
    assertEquals(1, a.count(Counter.LINK_CONNECT_FAILED));
  }

  @Test
  void aSourceAddressThatIsNotOursIsAFailedConnection() throws Exception {
    LinkNode a = ours();
    LinkNode b = theirs();
    int port = b.port(TCP);
    LinkNode.Side side = new LinkNode.Side();
    loop.on(
        () ->
            a.links.connect(
                TCP, ip("192.0.2.77"), new InetSocketAddress(ip("127.0.0.1"), port), side));
    loop.until(() -> !side.closed.isEmpty());
    assertEquals(1, a.count(Counter.LINK_CONNECT_FAILED));
  }

  /** The kernel takes no more connections than the backlog, and does not answer the others. */
  @Test
  void aConnectionWithoutAnAnswerIsGivenUp() throws Exception {
    LinkNode a = node(settings(List.of(), 0, 1000, 10, Duration.ofMillis(200)), OURS, THEIRS);
    try (ServerSocket full = new ServerSocket(0, 1, ip("127.0.0.1"))) {
      LinkNode.Side side = null;
      for (int i = 0; i < 10 && (side == null || side.closed.isEmpty()); i++) {
        LinkNode.Side next = a.connect(TCP, ip("127.0.0.1"), full.getLocalPort());
        loop.until(() -> next.connected || !next.closed.isEmpty());
        side = next;
      }
      assertTrue(side.closed.get(0).contains("timed out"), side.closed.get(0));
      assertEquals(1, a.count(Counter.LINK_CONNECT_FAILED));
    }
  }

  @Test
  void aServerThatNeverSpeaksTlsIsGivenUp() throws Exception {
    LinkNode a = node(settings(List.of(), 0, 1000, 10, Duration.ofMillis(200)), OURS, THEIRS);
    try (ServerSocket mute = new ServerSocket(0, 10, ip("127.0.0.1"))) {
      LinkNode.Side side = a.connect(LinkNode.TLS, ip("127.0.0.1"), mute.getLocalPort());
      loop.until(() -> !side.closed.isEmpty());
      assertEquals(1, side.closed.size());
      assertEquals(1, a.count(Counter.TLS_FAILED));
      assertFalse(side.connected);
    }
  }

  @Test
  void messagesArriveWholeHoweverTheStreamIsCut() throws Exception {
    LinkNode b = theirs();
    byte[] first = MessageFramingTest.message(3, 1);
    byte[] second = MessageFramingTest.message(0, 2);
    try (Socket socket = new Socket(ip("127.0.0.1"), b.port(TCP))) {
      socket.setTcpNoDelay(true);
      OutputStream out = socket.getOutputStream();
      for (byte[] message : List.of(first, second)) {
        for (byte one : message) {
          out.write(one);
          out.flush();
        }
      }
      loop.until(() -> b.accepted.size() == 1);
      assertReceived(b.accepted.get(0), List.of(first, second));
      out.write(Arrays.copyOf(first, 11));
    }
    loop.until(() -> !b.accepted.get(0).closed.isEmpty());
    assertEquals(1, b.count(Counter.MESSAGE_CUT));
    assertEquals(2, b.accepted.get(0).received.size());
  }

  @Test
  void aMessageOverTheBoundEndsTheConnection() throws Exception {
    LinkNode b = node(settings(1000, 10), THEIRS, OURS);
    try (Socket socket = new Socket(ip("127.0.0.1"), b.port(TCP))) {
      byte[] longest = MessageFramingTest.message((1024 - 8) / 4, 3);
      socket.getOutputStream().write(longest);
      socket.getOutputStream().write(new byte[] {1, 1, (byte) 0xff, (byte) 0xff, 0, 0, 3, 0});
      loop.until(() -> b.accepted.size() == 1 && !b.accepted.get(0).closed.isEmpty());
      assertReceived(b.accepted.get(0), List.of(longest));
      assertEquals(-1, read(socket));
    }
    assertEquals(1, b.count(Counter.MESSAGE_TOO_LONG));
    assertEquals(List.of("the peer sent a message that is too long"), b.accepted.get(0).closed);
  }

  /** Reads a byte. Returns the same for end of stream and reset, because both mean closed. */
  private static int read(Socket socket) {
    try {
      InputStream in = socket.getInputStream();
      return in.read();
    } catch (java.io.IOException e) {
      return -1;
    }
  }

  @Test
  void aPeerThatDoesNotReadIsGivenUp() throws Exception {
    LinkNode a = node(settings(100_000, 10), OURS, THEIRS);
    try (ServerSocket server = new ServerSocket(0, 10, ip("127.0.0.1"))) {
      LinkNode.Side side = a.connect(TCP, ip("127.0.0.1"), server.getLocalPort());
      loop.until(() -> side.connected);
      byte[] message = MessageFramingTest.message(250, 4);
      for (int i = 0; i < 100_000 && loop.on(() -> side.closed.isEmpty()); i++) {
        loop.on(
            () -> {
              for (int j = 0; j < 20; j++) {
                side.link.send(message);
                assertTrue(side.link.pending() <= 100_000 + message.length);
              }
              return null;
            });
      }
      loop.until(() -> !side.closed.isEmpty());
      assertEquals(List.of("the peer does not read"), side.closed);
      assertEquals(1, a.count(Counter.PEER_STALLED));
    }
  }

  /** Half-open TLS handshakes of one address leave room for another address. */
  @Test
  void theSourceWithMostHandshakesMakesRoom() throws Exception {
    LinkNode b = node(settings(1000, 16), THEIRS, OURS);
    int port = b.port(stack("TLS"));
    List<Socket> silent = new ArrayList<>();
    try {
      for (int i = 0; i < 4; i++) {
        silent.add(from("127.0.0.2", port));
      }
      silent.add(from("127.0.0.2", port));
      assertEquals(-1, read(silent.get(4)));
      assertEquals(1, b.count(Counter.LINK_REFUSED_HANDSHAKES));
      silent.add(from("127.0.0.3", port));
      assertEquals(-1, read(silent.get(0)));
      assertEquals(1, b.count(Counter.LINK_GAVE_WAY));
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  private static Socket from(String address, int port) throws Exception {
    return new Socket(ip("127.0.0.1"), port, ip(address), 0);
  }

  @Test
  void acceptedConnectionsAreBounded() throws Exception {
    LinkNode b = node(settings(1000, 2), THEIRS, OURS);
    int port = b.port(TCP);
    try (Socket one = new Socket(ip("127.0.0.1"), port);
        Socket two = new Socket(ip("127.0.0.1"), port);
        Socket three = new Socket(ip("127.0.0.1"), port)) {
      assertEquals(-1, read(three));
      assertEquals(1, b.count(Counter.LINK_REFUSED_FULL));
      assertTrue(one.isConnected() && two.isConnected());
    }
    loop.until(() -> b.accepted.stream().allMatch(side -> !side.closed.isEmpty()));
    assertEquals(2, b.accepted.size());
    try (Socket again = new Socket(ip("127.0.0.1"), port)) {
      loop.until(() -> b.accepted.size() == 3);
      assertTrue(again.isConnected());
    }
  }

  @Test
  void oneFreePortServesAllAddresses() throws Exception {
    List<InetAddress> addresses = List.of(ip("127.0.0.1"), ip("::1"));
    LinkNode b = node(settings(addresses, 0, 1000, 10, Duration.ofSeconds(60)), THEIRS, OURS);
    int port = b.port(TCP);
    assertEquals(port, b.port(TCP));
    for (InetAddress address : addresses) {
      new Socket(address, port).close();
    }
    loop.until(() -> b.accepted.size() == 2);
    assertThrows(java.io.IOException.class, () -> new Socket(ip("127.0.0.2"), port).close());
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "::1"})
  void aTakenPortIsNoPortUntilItIsFree(String address) throws Exception {
    int port;
    LinkNode b;
    try (ServerSocket taken = new ServerSocket(0, 1, ip(address))) {
      port = taken.getLocalPort();
      List<InetAddress> addresses = List.of(ip(address));
      b = node(settings(addresses, port, 1000, 10, Duration.ofSeconds(60)), THEIRS, OURS);
      assertEquals(0, b.port(TCP));
    }
    assertEquals(port, b.port(TCP));
  }

  /**
   * 1 is TCP and 2 is TLS (RFC 5971 section 9). A new MA-Protocol-ID needs a specification of its
   * options, its signs of loss and security, and its place in a stack.
   */
  @Test
  void stacksAreWhatTheConfigurationSays() throws Exception {
    assertEquals(List.of(LinkNode.TLS, TCP), ours().links.stacks());
    LinkNode tlsOnly = node(LinkSettings.connectOnly(false), OURS, THEIRS);
    assertEquals(List.of(LinkNode.TLS), tlsOnly.links.stacks());
    assertEquals(0, tlsOnly.port(LinkNode.TLS));
    assertEquals(0, tlsOnly.port(TCP));
    LinkNode plain = new LinkNode(loop, LinkSettings.DEFAULT, null);
    nodes.add(plain);
    assertEquals(List.of(TCP), plain.links.stacks());
    assertEquals(0, plain.port(LinkNode.TLS));
  }
}
