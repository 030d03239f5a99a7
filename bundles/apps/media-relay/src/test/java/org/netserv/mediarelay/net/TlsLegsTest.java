// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.mediarelay.core.Transport;
import org.netserv.mediarelay.core.Why;
import org.netserv.packet.Tally;

class TlsLegsTest {
  private static String keys;
  private static String otherKeys;

  private final Messages messages = new Messages();
  private final Tally<Why> tally = new Tally<>(Why.class);
  private final List<SocketChannel> clients = new ArrayList<>();
  private TestLoop loop;
  private TcpLegs legs;
  private int port;

  @BeforeAll
  static void makeKeys(@TempDir Path directory) throws IOException, InterruptedException {
    keys = TestKeys.make(directory, "EC");
    otherKeys = TestKeys.make(directory, "RSA");
  }

  @BeforeEach
  void listen() throws IOException {
    loop = new TestLoop();
    legs = new TcpLegs(loop, messages, tally, TlsKeys.of(keys, TestKeys.PASSWORD), 100);
    port = TcpLegsTest.freePort();
    legs.listen(port);
    messages.echoes = true;
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

  /** Moves bytes both ways once, in pieces of {@code step} bytes to the relay. */
  private static boolean exchange(TestKeys.Side side, SocketChannel channel, int step)
      throws IOException {
    for (byte[] record : side.toSend) {
      for (int at = 0; at < record.length; at += step) {
        channel.write(ByteBuffer.wrap(record, at, Math.min(step, record.length - at)));
      }
    }
    side.toSend.clear();
    ByteBuffer got = ByteBuffer.allocate(60_000);
    int count = channel.read(got);
    if (count > 0) {
      side.take(Arrays.copyOf(got.array(), count));
    }
    return count >= 0;
  }

  private void until(TestKeys.Side side, SocketChannel channel, int step, int bytes)
      throws IOException {
    for (int i = 0; i < 500 && side.plain.position() < bytes; i++) {
      exchange(side, channel, step);
      loop.turn();
    }
  }

  private SSLEngine client(String... alpn) throws GeneralSecurityException {
    return TestKeys.client("TLS", 0, alpn);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 100_000})
  void messagesComeThroughTls(int step) throws IOException, GeneralSecurityException {
    SocketChannel channel = connect();
    TestKeys.Side side = new TestKeys.Side(client());
    for (int i = 0; i < 500 && !side.isOpen(); i++) {
      exchange(side, channel, step);
      loop.turn();
    }
    assertTrue(side.isOpen());
    side.send(Messages.joined(Messages.stun(4), Messages.channelData(0x4001, 3)));
    until(side, channel, step, 32);
    assertEquals(
        List.of(HexFormat.of().formatHex(Messages.stun(4)), "40010003010203"), messages.received);
    assertEquals(Transport.TLS, messages.clients.get(0).transport());
    assertArrayEquals(
        Messages.joined(Messages.stun(4), Messages.channelData(0x4001, 3)), side.came());
    assertEquals(0, legs.halfOpenCount());
  }

  private TestKeys.Side opened(SocketChannel channel) throws IOException, GeneralSecurityException {
    TestKeys.Side side = new TestKeys.Side(client());
    for (int i = 0; i < 500 && !side.isOpen(); i++) {
      exchange(side, channel, 100_000);
      loop.turn();
    }
    return side;
  }

  @Test
  void otherKeysAreForNewConnections() throws IOException, GeneralSecurityException {
    SocketChannel channel = connect();
    TestKeys.Side before = opened(channel);
    assertEquals("EC", before.keyOfPeer());
    legs.keys(TlsKeys.of(otherKeys, TestKeys.PASSWORD));
    assertEquals("RSA", opened(connect()).keyOfPeer());
    before.send(Messages.stun(4));
    until(before, channel, 100_000, 24);
    assertArrayEquals(Messages.stun(4), before.came());
  }

  @Test
  void theRelaysProtocolIsChosen() throws IOException, GeneralSecurityException {
    SocketChannel channel = connect();
    TestKeys.Side side = new TestKeys.Side(client("h2", "stun.turn"));
    side.send(new byte[0]);
    for (int i = 0; i < 500 && !side.isOpen(); i++) {
      exchange(side, channel, 100_000);
      loop.turn();
    }
    assertEquals("stun.turn", side.engine.getApplicationProtocol());
  }

  @Test
  void aClientOfOtherProtocolsIsRefused() throws IOException, GeneralSecurityException {
    SocketChannel channel = connect();
    TestKeys.Side side = new TestKeys.Side(client("h2"));
    assertThrows(
        SSLException.class,
        () -> {
          for (int i = 0; i < 500 && exchange(side, channel, 100_000); i++) {
            loop.turn();
          }
        });
    assertEquals(1, tally.get(Why.TLS_FAILED));
    assertEquals(0, legs.connectionCount());
  }

  @Test
  void plainAndTlsShareAPort() throws IOException {
    SocketChannel channel = connect();
    channel.write(ByteBuffer.wrap(Messages.stun(0)));
    assertTrue(loop.until(() -> messages.received.size() == 1));
    assertEquals(Transport.TCP, messages.clients.get(0).transport());
  }

  @Test
  void aHandshakeThatStopsEndsInTime() throws IOException, GeneralSecurityException {
    SocketChannel channel = connect();
    TestKeys.Side side = new TestKeys.Side(client());
    exchange(side, channel, 100_000);
    assertTrue(loop.until(() -> legs.halfOpenCount() == 1));
    for (int i = 0; i < 20; i++) {
      loop.turn();
    }
    loop.pass(TcpConnection.FIRST_NANOS + 1);
    assertEquals(0, legs.connectionCount());
    assertEquals(1, tally.get(Why.STREAM_HALF_OPEN));
  }

  @Test
  void recordsOfChanceEndAConnectionAndNothingElse() throws IOException, GeneralSecurityException {
    Random random = new Random(11);
    for (int i = 0; i < 40; i++) {
      SocketChannel channel = connect();
      TestKeys.Side side = new TestKeys.Side(client());
      byte[] hello = side.toSend.get(0);
      hello[random.nextInt(hello.length)] ^= (byte) (1 + random.nextInt(255));
      hello[0] = 22;
      channel.write(ByteBuffer.wrap(hello));
      for (int turns = 0; turns < 3; turns++) {
        loop.turn();
      }
      channel.close();
    }
    loop.pass(TcpConnection.FIRST_NANOS + 1);
    loop.until(() -> legs.connectionCount() == 0);
    assertEquals(0, legs.connectionCount());
    messagesComeThroughTls(100_000);
  }

  @Test
  void mediaForASlowClientIsDroppedAndTheSessionStaysWhole()
      throws IOException, GeneralSecurityException {
    SocketChannel channel = connect();
    TestKeys.Side side = new TestKeys.Side(client());
    for (int i = 0; i < 500 && !side.isOpen(); i++) {
      exchange(side, channel, 100_000);
      loop.turn();
    }
    side.send(Messages.stun(0));
    until(side, channel, 100_000, 20);
    var client = messages.clients.get(0);
    byte[] data = Messages.channelData(0x4000, 1200);
    int sent = 0;
    while (client.way().send(client, ByteBuffer.wrap(data), 0, data.length)) {
      sent++;
    }
    side.plain.position(0);
    ByteBuffer all = ByteBuffer.allocate(sent * data.length);
    for (int i = 0; i < 20_000 && all.hasRemaining(); i++) {
      exchange(side, channel, 100_000);
      all.put(side.came());
      side.plain.position(0);
      loop.turn();
    }
    assertEquals(0, all.remaining());
    for (int i = 0; i < sent; i++) {
      assertArrayEquals(
          data, Arrays.copyOfRange(all.array(), i * data.length, (i + 1) * data.length));
    }
  }

  @Test
  void keysThatAreNoneAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> TlsKeys.of("", "x"));
    assertThrows(IllegalArgumentException.class, () -> TlsKeys.of("AAAA", "x"));
    assertThrows(IllegalArgumentException.class, () -> TlsKeys.of(keys, "wrong"));
  }

  @Test
  void aContextOfDtlsIsMadeForItsFirstClient() {
    TlsKeys made = TlsKeys.of(keys, TestKeys.PASSWORD);
    assertEquals(0, made.dtlsContexts());
    made.dtls(1, 1400);
    made.dtls(1 + TlsKeys.DTLS_CONTEXTS, 1400);
    assertEquals(1, made.dtlsContexts());
    made.dtls(-1, 1400);
    assertEquals(2, made.dtlsContexts());
  }
}
