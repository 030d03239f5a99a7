// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.netserv.mediarelay.core.Access;
import org.netserv.mediarelay.core.Accounts;
import org.netserv.mediarelay.core.Ip;
import org.netserv.mediarelay.core.Limits;
import org.netserv.mediarelay.core.PeerRules;
import org.netserv.mediarelay.core.RelayedRange;
import org.netserv.mediarelay.core.Strangers;
import org.netserv.mediarelay.core.Why;
import org.netserv.packet.Tally;
import org.netserv.stun.ChannelNumber;
import org.netserv.stun.Integrity;
import org.netserv.stun.Nonces;
import org.netserv.stun.PasswordAlgorithm;
import org.netserv.stun.RequestedTransport;
import org.netserv.stun.StunAddress;
import org.netserv.stun.StunAttribute;
import org.netserv.stun.StunBytes;
import org.netserv.stun.StunClass;
import org.netserv.stun.StunError;
import org.netserv.stun.StunKey;
import org.netserv.stun.StunMessage;
import org.netserv.stun.StunMethod;
import org.netserv.stun.StunWriter;

/**
 * A whole relay on sockets of the loopback interface, one client and one peer. The rules let the
 * loopback address be a peer by calling it a relayed address, which then is delivered within the
 * relay; another address of the loopback network is the plain peer's.
 */
class DataPathTest {
  private static final String USER = "ann";
  private static final String PASSWORD = "pw";
  private static final String REALM = "example.org";
  private static final int WAIT_MS = 2000;
  private static final int SHORT_WAIT_MS = 100;
  private static final int SIZE = 3000;

  private final Tally<Why> tally = new Tally<>(Why.class);
  private final Integrity integrity = new Integrity();
  private final StunMessage answer = new StunMessage();
  private Relay relay;
  private int serverPort;
  private int firstPort;

  @BeforeEach
  void start() throws IOException {
    try (DatagramSocket free = new DatagramSocket()) {
      serverPort = free.getLocalPort();
    }
    firstPort = serverPort > 40_000 ? serverPort - 200 : serverPort + 100;
    RelayedRange range = new RelayedRange(0, Ip.v4(0x7f000001), firstPort, firstPort + 50);
    StunKey key = StunKey.longTerm(USER, REALM, PASSWORD, PasswordAlgorithm.MD5);
    Access access =
        new Access(
            REALM,
            List.of((bytes, from, to, algorithm) -> key),
            null,
            new Nonces(new byte[16], 600, 2400, 0),
            false,
            () -> 1000);
    PeerRules rules =
        new PeerRules(
            List.of(),
            List.of(new Ip.Prefix(0, Ip.v4(0x7f000001), Ip.BITS)),
            List.of(),
            List.of(),
            true,
            true,
            1);
    relay =
        new Relay(
            new Relay.Plan(
                List.of(serverPort),
                List.of(),
                new Relay.Streams(List.of(serverPort), 8),
                List.of(range),
                List.of(),
                new Limits(10, 10, 8, 8, 600, 3600, 0, 0, true, true),
                access,
                rules,
                new Strangers(0, 100, 1),
                null,
                0),
            new Accounts(10),
            tally,
            new Random(3));
    relay.start();
  }

  @AfterEach
  void stop() {
    relay.close();
  }

  /** A client of the relay. */
  private final class Caller implements AutoCloseable {
    private final DatagramSocket socket;
    private byte[] nonce;
    private int relayed;

    private Caller() throws IOException {
      socket = new DatagramSocket();
      ask(StunMethod.ALLOCATE, w -> RequestedTransport.put(w, RequestedTransport.UDP));
      nonce = StunBytes.copy(answer, StunAttribute.NONCE);
      succeed(StunMethod.ALLOCATE, w -> RequestedTransport.put(w, RequestedTransport.UDP));
      StunAddress address = new StunAddress();
      assertTrue(address.get(answer, StunAttribute.XOR_RELAYED_ADDRESS));
      relayed = address.port();
    }

    private void succeed(StunMethod method, Consumer<StunWriter> attributes) throws IOException {
      ask(method, attributes);
      assertEquals(StunClass.SUCCESS, answer.kind());
    }

    private void ask(StunMethod method, Consumer<StunWriter> attributes) throws IOException {
      ByteBuffer bytes = ByteBuffer.allocate(SIZE);
      StunWriter writer = new StunWriter().begin(bytes, 0, SIZE, method, StunClass.REQUEST, 1, 2);
      attributes.accept(writer);
      if (nonce != null) {
        StunBytes.put(writer, StunAttribute.USERNAME, USER.getBytes(StandardCharsets.UTF_8));
        StunBytes.put(writer, StunAttribute.REALM, REALM.getBytes(StandardCharsets.UTF_8));
        StunBytes.put(writer, StunAttribute.NONCE, nonce);
        integrity.put(
            writer,
            StunAttribute.MESSAGE_INTEGRITY,
            StunKey.longTerm(USER, REALM, PASSWORD, PasswordAlgorithm.MD5));
      }
      send(bytes.array(), writer.length());
      byte[] got = next(socket, WAIT_MS);
      assertEquals(StunError.OK, answer.reset(ByteBuffer.wrap(got), 0, got.length));
    }

    private void send(byte[] bytes, int length) throws IOException {
      socket.send(
          new DatagramPacket(
              bytes, length, new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort)));
    }

    private void bind(int number, int port) throws IOException {
      succeed(
          StunMethod.CHANNEL_BIND,
          w -> {
            ChannelNumber.put(w, number);
            StunAddress.put(w, StunAttribute.XOR_PEER_ADDRESS, 0, Ip.v4(0x7f000001), port);
          });
    }

    private void channelData(int number, byte[] data) throws IOException {
      ByteBuffer bytes = ByteBuffer.allocate(4 + data.length);
      bytes.putShort((short) number).putShort((short) data.length).put(data);
      send(bytes.array(), bytes.capacity());
    }

    @Override
    public void close() {
      socket.close();
    }
  }

  private static byte[] next(DatagramSocket socket, int millis) throws IOException {
    DatagramPacket packet = new DatagramPacket(new byte[SIZE], SIZE);
    socket.setSoTimeout(millis);
    socket.receive(packet);
    return Arrays.copyOf(packet.getData(), packet.getLength());
  }

  private static boolean isSilent(DatagramSocket socket) throws IOException {
    try {
      next(socket, SHORT_WAIT_MS);
      return false;
    } catch (SocketTimeoutException e) {
      return true;
    }
  }

  private static byte[] filled(int length) {
    byte[] data = new byte[length];
    for (int i = 0; i < length; i++) {
      data[i] = (byte) (i * 3 + length);
    }
    return data;
  }

  /** The calls of an earlier relay wait for UDP, and keys take long to read. */
  @Test
  void clientsByTcpAreServedAfterThoseByUdp() throws IOException {
    InetAddress here = InetAddress.getLoopbackAddress();
    try (Caller caller = new Caller()) {
      assertTrue(caller.relayed >= firstPort);
      assertThrows(ConnectException.class, () -> new Socket(here, serverPort).close());
      relay.serveStreams(null);
      new Socket(here, serverPort).close();
    }
  }

  @Test
  void twoClientsReachEachOtherByChannelsAndByIndications() throws IOException {
    try (Caller one = new Caller();
        Caller two = new Caller()) {
      one.bind(0x4000, two.relayed);
      two.bind(0x4abc, one.relayed);
      for (int length : new int[] {0, 1, 2, 3, 4, 160, 1200, 1900}) {
        one.channelData(0x4000, filled(length));
        byte[] got = next(two.socket, WAIT_MS);
        ByteBuffer view = ByteBuffer.wrap(got);
        assertEquals(0x4abc, view.getShort(0) & 0xffff);
        assertEquals(length, view.getShort(2) & 0xffff);
        assertEquals(ByteBuffer.wrap(filled(length)), view.slice(4, length));
      }
      assertEquals(8, tally.get(Why.TO_NEIGHBOUR));
      assertEquals(8, tally.get(Why.TO_CLIENT));
    }
  }

  @Test
  void dataWithoutPermissionChannelOrAllocationGoesNowhere() throws IOException {
    try (Caller one = new Caller();
        Caller two = new Caller();
        DatagramSocket stranger = new DatagramSocket()) {
      one.bind(0x4000, two.relayed); // two has permitted nobody
      one.channelData(0x4000, filled(9));
      assertTrue(isSilent(two.socket));
      assertEquals(1, tally.get(Why.PEER_NO_PERMISSION));
      one.channelData(0x4001, filled(9));
      one.send(new byte[] {0x40, 0, 0, 9, 1}, 5);
      InetSocketAddress server =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort);
      stranger.send(new DatagramPacket(new byte[] {0x40, 0, 0, 0}, 4, server));
      stranger.send(new DatagramPacket(new byte[] {(byte) 0x80, 0, 0, 0}, 4, server));
      stranger.send(new DatagramPacket(new byte[0], 0, server));
      InetSocketAddress relayed =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), two.relayed);
      stranger.send(new DatagramPacket(filled(9), 9, relayed));
      assertTrue(isSilent(two.socket));
      assertTrue(isSilent(one.socket));
      assertEquals(1, tally.get(Why.NO_CHANNEL));
      assertEquals(1, tally.get(Why.BAD_CHANNEL_DATA));
      assertEquals(1, tally.get(Why.UNKNOWN_CLIENT));
      assertEquals(2, tally.get(Why.NOT_STUN));
      assertEquals(2, tally.get(Why.PEER_NO_PERMISSION));
    }
  }

  /** Ends both threads: nothing is left that serves or waits. */
  @Test
  void closingEndsTheRelay() {
    relay.close();
    assertFalse(relay.isServing());
    assertEquals(
        List.of(),
        Thread.getAllStackTraces().keySet().stream()
            .map(Thread::getName)
            .filter(name -> name.startsWith("media-relay"))
            .toList());
  }
}
