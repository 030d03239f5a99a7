// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.mediarelay.core.Client;
import org.netserv.mediarelay.core.Transport;
import org.netserv.mediarelay.core.Why;
import org.netserv.packet.Tally;

class DtlsLegsTest {
  private static final long ADDRESS = 0xffff_c000_0201L; // 192.0.2.1
  private static final int PORT = 40_000;
  private static final int MOST = 5;

  private static String ec;
  private static String rsa;

  private final Messages messages = new Messages();
  private final Tally<Why> tally = new Tally<>(Why.class);
  private final Queue<byte[]> answers = new ArrayDeque<>();
  private TestLoop loop;
  private DtlsLegs legs;

  @BeforeAll
  static void makeKeys(@TempDir Path directory) throws IOException, InterruptedException {
    ec = TestKeys.make(directory, "EC");
    rsa = TestKeys.make(directory, "RSA");
  }

  @BeforeEach
  void open() throws IOException {
    open(ec);
  }

  private void open(String keys) throws IOException {
    loop = new TestLoop();
    legs =
        new DtlsLegs(
            loop, messages, this::answer, tally, TlsKeys.of(keys, TestKeys.PASSWORD), MOST, 42);
    messages.echoes = true;
  }

  @AfterEach
  void close() throws IOException {
    legs.close();
    loop.close();
  }

  private boolean answer(Client to, ByteBuffer bytes, int start, int length) {
    byte[] copy = new byte[length];
    bytes.get(start, copy);
    return answers.add(copy);
  }

  private static TestKeys.Side client() throws SSLException, GeneralSecurityException {
    return new TestKeys.Side(TestKeys.client("DTLSv1.2", DtlsLegs.PACKET_MOST));
  }

  private void send(byte[] datagram, long address, int port) {
    byte[] with = Messages.joined(new byte[3], datagram, new byte[5]);
    legs.received(0, address, port, 3478, ByteBuffer.wrap(with), 3, datagram.length);
  }

  /** Moves datagrams both ways until nothing moves any more. */
  private void exchange(TestKeys.Side side, long address, int port) throws IOException {
    for (int i = 0; i < 20 && !(side.toSend.isEmpty() && answers.isEmpty()); i++) {
      List<byte[]> sending = List.copyOf(side.toSend);
      side.toSend.clear();
      sending.forEach(datagram -> send(datagram, address, port));
      loop.turn();
      while (!answers.isEmpty()) {
        assertTrue(
            answers.peek().length <= DtlsLegs.PACKET_MOST,
            "a datagram of " + answers.peek().length);
        side.take(answers.remove());
      }
    }
  }

  private TestKeys.Side opened(int port) throws IOException, GeneralSecurityException {
    TestKeys.Side side = client();
    exchange(side, ADDRESS, port);
    assertTrue(side.isOpen());
    return side;
  }

  @Test
  void otherKeysAreForNewSessions() throws IOException, GeneralSecurityException {
    TestKeys.Side before = opened(PORT);
    assertEquals("EC", before.keyOfPeer());
    legs.keys(TlsKeys.of(rsa, TestKeys.PASSWORD));
    assertEquals("RSA", opened(PORT + 1).keyOfPeer());
    before.send(Messages.stun(8));
    List.copyOf(before.toSend).forEach(datagram -> send(datagram, ADDRESS, PORT));
    assertEquals(List.of(HexFormat.of().formatHex(Messages.stun(8))), messages.received);
    assertEquals(2, legs.sessionCount());
  }

  @ParameterizedTest
  @ValueSource(strings = {"EC", "RSA"})
  void messagesComeThroughDtls(String algorithm) throws IOException, GeneralSecurityException {
    close();
    open(algorithm.equals("EC") ? ec : rsa);
    TestKeys.Side side = opened(PORT);
    assertEquals(1, legs.sessionCount());
    assertEquals(0, legs.halfOpenCount());
    assertEquals(1, tally.get(Why.DTLS_COOKIE));
    side.send(Messages.stun(8));
    side.send(Messages.channelData(0x4001, 1400));
    List<byte[]> sending = List.copyOf(side.toSend);
    sending.forEach(datagram -> send(datagram, ADDRESS, PORT));
    assertEquals(2, messages.received.size());
    assertEquals(HexFormat.of().formatHex(Messages.stun(8)), messages.received.get(0));
    Client client = messages.clients.get(0);
    assertEquals(Transport.DTLS, client.transport());
    assertEquals(ADDRESS, client.low());
    assertEquals(PORT, client.port());
    assertEquals(3478, client.serverPort());
    for (byte[] answer : answers) {
      side.take(answer);
    }
    assertArrayEquals(
        Messages.joined(Messages.stun(8), Messages.channelData(0x4001, 1400)), side.came());
  }

  @Test
  void aFirstHelloLeavesNothingBehind() throws IOException, GeneralSecurityException {
    for (int i = 0; i < 100; i++) {
      send(client().toSend.get(0), ADDRESS + i, PORT);
    }
    assertEquals(100, answers.size());
    assertEquals(0, legs.sessionCount());
    assertEquals(0, legs.halfOpenCount());
    for (byte[] answer : answers) {
      assertTrue(answer.length <= 60, "an answer of " + answer.length);
    }
  }

  /** Returns the hello that a client sends when it has its cookie. */
  private byte[] second(TestKeys.Side side, long address) throws SSLException {
    send(side.toSend.remove(0), address, PORT);
    side.take(answers.remove());
    return side.toSend.remove(0);
  }

  @Test
  void aCookieIsWorthLittleElsewhere() throws IOException, GeneralSecurityException {
    byte[] hello = second(client(), ADDRESS);
    for (int i = 1; i <= 256; i++) {
      send(hello, ADDRESS + 256L * i, PORT);
    }
    assertTrue(legs.sessionCount() <= MOST, legs.sessionCount() + " of 256 spoofed");
    assertTrue(tally.get(Why.DTLS_COOKIE) >= 230, tally.get(Why.DTLS_COOKIE) + " asked again");
  }

  @Test
  void aWrongCookieIsAskedForAgain() throws IOException, GeneralSecurityException {
    byte[] hello = second(client(), ADDRESS);
    byte[] wrong = hello.clone();
    wrong[25 + 34 + 1 + wrong[25 + 34] + 5] ^= 1;
    send(wrong, ADDRESS, PORT);
    assertEquals(0, legs.sessionCount());
    assertEquals(2, tally.get(Why.DTLS_COOKIE));
    send(hello, ADDRESS, PORT);
    assertEquals(1, legs.sessionCount());
  }

  @Test
  void anOldVersionIsRefusedByAnAlert() throws IOException, GeneralSecurityException {
    byte[] hello = client().toSend.get(0);
    hello[2] = (byte) 0xff; // DTLS 1.0, which RFC 8996 forbids
    hello[26] = (byte) 0xff;
    send(hello, ADDRESS, PORT);
    assertEquals(1, answers.size());
    assertEquals(21, answers.peek()[0]);
    assertTrue(answers.peek().length < 20);
    assertEquals(1, tally.get(Why.TLS_FAILED));
    assertEquals(0, legs.sessionCount());
  }

  @Test
  void aHelloThatIsCutAnywhereIsRefused() throws IOException, GeneralSecurityException {
    byte[] hello = second(client(), ADDRESS);
    for (int length = 0; length < hello.length; length++) {
      send(Arrays.copyOf(hello, length), ADDRESS, PORT);
    }
    assertEquals(0, legs.sessionCount());
    assertEquals(0, answers.size());
  }

  @Test
  void hellosOfChanceDoNoHarm() throws IOException, GeneralSecurityException {
    Random random = new Random(5);
    byte[] hello = second(client(), ADDRESS);
    for (int i = 0; i < 900; i++) {
      byte[] changed = hello.clone();
      for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
        changed[random.nextInt(changed.length)] = (byte) random.nextInt();
      }
      send(changed, ADDRESS + random.nextInt(100), PORT);
    }
    loop.turn();
    answers.clear();
    loop.pass(DtlsSession.HANDSHAKE_NANOS + 1);
    assertEquals(0, legs.sessionCount());
    assertEquals(0, legs.halfOpenCount());
    answers.clear();
    opened(PORT);
  }

  @Test
  void handshakesThatStopEndInTime() throws IOException, GeneralSecurityException {
    send(second(client(), ADDRESS), ADDRESS, PORT);
    loop.turn();
    assertEquals(1, legs.halfOpenCount());
    answers.clear();
    loop.pass(DtlsSession.FLIGHT_NANOS);
    assertFalse(answers.isEmpty()); // the flight, once more
    loop.pass(DtlsSession.HANDSHAKE_NANOS);
    assertEquals(0, legs.sessionCount());
    assertEquals(0, legs.halfOpenCount());
    assertEquals(1, tally.get(Why.DTLS_HALF_OPEN));
    assertEquals(List.of(), messages.gone); // nobody has heard of it
  }

  @Test
  void aLostFlightIsSentAgain() throws IOException, GeneralSecurityException {
    TestKeys.Side side = client();
    byte[] hello = second(side, ADDRESS);
    send(hello, ADDRESS, PORT);
    loop.turn();
    answers.clear(); // lost
    loop.pass(DtlsSession.FLIGHT_NANOS);
    loop.turn();
    while (!answers.isEmpty()) {
      side.take(answers.remove());
    }
    exchange(side, ADDRESS, PORT);
    assertTrue(side.isOpen());
  }

  @Test
  void sessionsAreBounded() throws IOException, GeneralSecurityException {
    for (int i = 0; i < MOST; i++) {
      opened(PORT + i);
    }
    TestKeys.Side side = client();
    exchange(side, ADDRESS, PORT + MOST);
    assertFalse(side.isOpen());
    assertEquals(MOST, legs.sessionCount());
    assertEquals(1, tally.get(Why.STREAM_CROWD));
    loop.pass(DtlsSession.IDLE_NANOS + 1);
    assertEquals(0, legs.sessionCount());
    assertEquals(MOST, tally.get(Why.STREAM_IDLE));
    assertEquals(MOST, messages.gone.size());
  }

  @Test
  void hellosOfASecondAreBounded() throws IOException, GeneralSecurityException {
    byte[] hello = client().toSend.get(0);
    for (int i = 0; i < DtlsLegs.HELLOS_PER_SECOND + 50; i++) {
      send(hello, ADDRESS, PORT);
    }
    assertEquals(DtlsLegs.HELLOS_PER_SECOND, answers.size());
    assertEquals(50, tally.get(Why.RATE_LIMITED));
  }

  @Test
  void aClientThatBeginsAnewReplacesItsSession() throws IOException, GeneralSecurityException {
    opened(PORT);
    TestKeys.Side again = opened(PORT);
    assertEquals(1, legs.sessionCount());
    assertEquals(1, messages.gone.size());
    again.send(Messages.stun(0));
    send(again.toSend.get(0), ADDRESS, PORT);
    assertEquals(1, messages.received.size());
  }

  @Test
  void aSpoofedHelloDoesNotEndASession() throws IOException, GeneralSecurityException {
    TestKeys.Side side = opened(PORT);
    send(client().toSend.get(0), ADDRESS, PORT);
    answers.clear();
    side.send(Messages.stun(0));
    send(side.toSend.get(0), ADDRESS, PORT);
    assertEquals(1, messages.received.size());
    assertEquals(List.of(), messages.gone);
  }

  @Test
  void anEndIsHeard() throws IOException, GeneralSecurityException {
    TestKeys.Side side = opened(PORT);
    side.engine.closeOutbound();
    side.send(new byte[0]);
    side.toSend.forEach(datagram -> send(datagram, ADDRESS, PORT));
    assertEquals(0, legs.sessionCount());
    assertEquals(1, messages.gone.size());
  }

  @Test
  void recordsOfChanceInASessionAreDropped() throws IOException, GeneralSecurityException {
    TestKeys.Side side = opened(PORT);
    Random random = new Random(3);
    for (int i = 0; i < 500; i++) {
      byte[] junk = new byte[random.nextInt(200)];
      random.nextBytes(junk);
      if (junk.length > 2) {
        junk[0] = (byte) (20 + random.nextInt(4));
        junk[1] = (byte) 0xfe;
        junk[2] = (byte) 0xfd;
      }
      send(junk, ADDRESS, PORT);
      assertEquals(
          1, legs.sessionCount(), i + " " + HexFormat.of().formatHex(junk) + tally.snapshot());
    }
    answers.clear();
    side.send(Messages.stun(0));
    side.toSend.forEach(datagram -> send(datagram, ADDRESS, PORT));
    assertEquals(1, messages.received.size());
  }
}
