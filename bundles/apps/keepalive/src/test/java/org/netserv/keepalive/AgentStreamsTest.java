// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.netserv.sip.stream.StreamEvent;
import org.netserv.sip.stream.StreamSettings;

/** Agents and a server over loopback. The test plays both, so that it knows each byte. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class AgentStreamsTest {
  private static final byte[] PING = {'\r', '\n', '\r', '\n'};
  private static final byte[] PONG = {'\r', '\n'};
  private static final byte[] MESSAGE =
      "OPTIONS sip:a SIP/2.0\r\nl: 3\r\n\r\nabc".getBytes(StandardCharsets.US_ASCII);

  private final InetAddress loopback = InetAddress.getLoopbackAddress();
  private ServerSocket server;
  private AgentStreams streams;

  @BeforeEach
  void start() throws IOException {
    server = new ServerSocket(0, 50, loopback);
    streams = streams(8);
  }

  private AgentStreams streams(int most) {
    InetSocketAddress to = (InetSocketAddress) server.getLocalSocketAddress();
    AgentStreams made = new AgentStreams(new StreamSettings(0, to, most, 3_600_000), 3).start();
    while (made.port() == 0) {
      LockSupport.parkNanos(1_000_000);
    }
    return made;
  }

  @AfterEach
  void stop() throws IOException {
    streams.close();
    server.close();
  }

  private Socket agent() throws IOException {
    return new Socket(loopback, streams.port());
  }

  private static void send(Socket from, byte[] bytes) throws IOException {
    from.getOutputStream().write(bytes);
  }

  private static void expect(Socket at, byte[] bytes) throws IOException {
    assertArrayEquals(bytes, at.getInputStream().readNBytes(bytes.length));
  }

  @Test
  void pingsAreAnsweredOnceTheServerHasAnsweredOne() throws IOException {
    try (Socket agent = agent();
        Socket peer = server.accept()) {
      send(agent, PING);
      expect(peer, PING); // the first is the server's
      send(peer, PONG);
      expect(agent, PONG);
      for (int i = 0; i < 2; i++) {
        send(agent, PING);
        expect(agent, PONG); // answered here
      }
      send(agent, PING); // the third is the server's again
      expect(peer, PING);
      send(agent, PING); // and as long as it does not answer
      expect(peer, PING);
      send(agent, MESSAGE);
      expect(peer, MESSAGE);
      send(peer, MESSAGE);
      expect(agent, MESSAGE);
      assertEquals(2, streams.counted(AgentStreams.Ping.STREAM_PING));
      assertEquals(3, streams.counted(AgentStreams.Ping.STREAM_PING_PASSED));
    }
  }

  @Test
  void theEndOfEitherSideIsTheEndOfBothAfterItsLastBytes() throws IOException {
    try (Socket agent = agent();
        Socket peer = server.accept()) {
      send(agent, MESSAGE);
      agent.shutdownOutput();
      assertArrayEquals(MESSAGE, peer.getInputStream().readAllBytes());
      assertEquals(-1, agent.getInputStream().read());
    }
    try (Socket agent = agent();
        Socket peer = server.accept()) {
      send(peer, MESSAGE);
      peer.shutdownOutput();
      InputStream in = agent.getInputStream();
      assertArrayEquals(MESSAGE, in.readNBytes(MESSAGE.length));
      assertEquals(-1, in.read());
    }
  }

  @Test
  void oneAddressHasAQuarter() throws IOException {
    try (Socket one = agent();
        Socket two = agent()) {
      send(one, MESSAGE);
      send(two, MESSAGE);
      while (streams.counted(StreamEvent.STREAM_ACCEPTED) < 2) {
        LockSupport.parkNanos(1_000_000);
      }
      try (Socket three = agent()) {
        assertEquals(-1, three.getInputStream().read());
      }
      assertEquals(1, streams.counted(StreamEvent.STREAM_SHARE));
      assertEquals(2, streams.counted(StreamEvent.STREAM_ACCEPTED));
    }
  }

  @Test
  void withoutTheServerAnAgentHasNoConnection() throws IOException {
    server.close();
    try (Socket agent = agent()) {
      assertEquals(-1, agent.getInputStream().read());
      assertEquals(1, streams.counted(StreamEvent.STREAM_NO_SERVER));
    }
  }

  /** As when a module is replaced: the new one is there before the old one has gone. */
  @Test
  void aTakenPortIsWaitedFor() throws IOException {
    ServerSocket taken = new ServerSocket(0);
    InetSocketAddress to = (InetSocketAddress) server.getLocalSocketAddress();
    StreamSettings settings = new StreamSettings(taken.getLocalPort(), to, 8, 60_000);
    try (AgentStreams late = new AgentStreams(settings, 3).start()) {
      LockSupport.parkNanos(300_000_000);
      assertEquals(0, late.port());
      taken.close();
      while (late.port() == 0) {
        LockSupport.parkNanos(1_000_000);
      }
      try (Socket agent = new Socket(loopback, late.port());
          Socket peer = server.accept()) {
        send(agent, MESSAGE);
        expect(peer, MESSAGE);
      }
    }
  }

  /** A slow reader holds its own sender up, and loses nothing. */
  @Test
  void bytesBothWaysArriveInOrderWhateverTheirPieces() throws Exception {
    byte[] sent = new byte[3_000_000];
    int at = 0;
    while (at + MESSAGE.length <= sent.length) {
      System.arraycopy(MESSAGE, 0, sent, at, MESSAGE.length);
      at += MESSAGE.length;
    }
    int length = at;
    try (Socket agent = agent();
        Socket peer = server.accept()) {
      Thread sender =
          new Thread(
              () -> {
                Random random = new Random(1);
                try {
                  for (int from = 0; from < length; ) {
                    int count = Math.min(length - from, 1 + random.nextInt(5000));
                    agent.getOutputStream().write(sent, from, count);
                    from += count;
                  }
                } catch (IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              });
      sender.start();
      byte[] got = peer.getInputStream().readNBytes(length);
      sender.join();
      assertArrayEquals(java.util.Arrays.copyOf(sent, length), got);
    }
  }
}
