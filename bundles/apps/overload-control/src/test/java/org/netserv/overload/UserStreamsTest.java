// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.netserv.overload.feedback.Feedback;
import org.netserv.overload.feedback.FeedbackKind;
import org.netserv.packet.Tally;
import org.netserv.sip.SipError;
import org.netserv.sip.stream.StreamEvent;
import org.netserv.sip.stream.StreamSettings;

/** Users and a server over loopback. The test plays both, so that it knows each byte. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class UserStreamsTest {
  private static final String INVITE = Rig.request("INVITE", "1", "");

  private final InetAddress loopback = InetAddress.getLoopbackAddress();
  private final AtomicReference<Feedback> inbox = new AtomicReference<>();
  private final Tally<Why> tally = new Tally<>(Why.class);
  private final Tally<SipError> errors = new Tally<>(SipError.class);
  private ServerSocket server;
  private UserStreams streams;
  private StreamEdge edge;

  @BeforeEach
  void start() throws IOException {
    server = new ServerSocket(0, 50, loopback);
    OverloadSettings settings = OverloadSettings.of(Rig.properties("fair", "off"));
    SplittableRandom random = new SplittableRandom(7415);
    Arbiter arbiter = new Arbiter(settings, random, inbox, new Demand(), new Demand());
    edge = new StreamEdge(settings, System::nanoTime, random, arbiter, tally, errors);
    InetSocketAddress to = (InetSocketAddress) server.getLocalSocketAddress();
    streams = new UserStreams(new StreamSettings(0, to, 8, 3_600_000), edge).start();
    while (streams.port() == 0) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  @AfterEach
  void stop() throws IOException {
    streams.close();
    server.close();
  }

  private void closeServer() {
    inbox.set(new Feedback(FeedbackKind.LOSS, 100, 60_000, 1));
  }

  private Socket user() throws IOException {
    return new Socket(loopback, streams.port());
  }

  private static void send(Socket from, String text) throws IOException {
    from.getOutputStream().write(Rig.bytes(text));
  }

  private static void expect(Socket at, String text) throws IOException {
    byte[] bytes = Rig.bytes(text);
    assertArrayEquals(bytes, at.getInputStream().readNBytes(bytes.length));
  }

  /** Reads a message without a body. */
  private static String read(Socket at) throws IOException {
    InputStream in = at.getInputStream();
    StringBuilder text = new StringBuilder();
    for (int next = in.read(); next >= 0; next = in.read()) {
      text.append((char) next);
      if (text.toString().endsWith("\r\n\r\n")) {
        return text.toString().replace("\r\n", "\n");
      }
    }
    return text.toString();
  }

  @Test
  void withoutFeedbackAllBytesPassBothWays() throws IOException {
    try (Socket user = user();
        Socket peer = server.accept()) {
      send(user, "\n\n" + INVITE);
      expect(peer, "\n\n" + INVITE);
      send(peer, "\n" + Rig.response(180, INVITE) + Rig.response(200, INVITE));
      expect(user, "\n" + Rig.response(180, INVITE) + Rig.response(200, INVITE));
      assertEquals(1, tally.get(Why.ADMITTED));
      assertEquals(2, tally.get(Why.RESPONSE));
    }
  }

  @Test
  void rejectedRequestsAreAnsweredHereAndExemptOnesPass() throws IOException {
    closeServer();
    try (Socket user = user();
        Socket peer = server.accept()) {
      String bye = Rig.request("BYE", "9", "in-dialog");
      send(
          user,
          INVITE + Rig.request("CANCEL", "1", "") + Rig.request("ACK", "1", "in-dialog") + bye);
      expect(peer, bye); // and nothing before it
      String rejection = read(user);
      assertTrue(rejection.startsWith("SIP/2.0 503 Service Unavailable\n"), rejection);
      assertTrue(rejection.contains("\nRetry-After: "), rejection);
      assertTrue(rejection.contains(";received=127.0.0.1"), rejection);
      String cancelled = read(user);
      assertTrue(cancelled.startsWith("SIP/2.0 200 OK\n"), cancelled);
      assertTrue(cancelled.contains("CSeq: 1 CANCEL\n"), cancelled);
      assertEquals(1, tally.get(Why.ACK_ABSORBED));
      assertEquals(1, tally.get(Why.EXEMPT));
    }
  }

  /** A response of the edge may not stand inside a message of the server. */
  @Test
  void responsesStandBetweenMessagesOfTheServer() throws IOException {
    closeServer();
    try (Socket user = user();
        Socket peer = server.accept()) {
      String options = Rig.request("OPTIONS", "s", "");
      byte[] bytes = Rig.bytes(options);
      peer.getOutputStream().write(bytes, 0, 40);
      send(user, INVITE);
      assertTrue(read(user).startsWith("SIP/2.0 503 "));
      peer.getOutputStream().write(bytes, 40, bytes.length - 40);
      expect(user, options);
      assertEquals(1, tally.get(Why.SERVER));
    }
  }

  @Test
  void aTransactionBelongsToItsStream() throws IOException {
    try (Socket one = user();
        Socket first = server.accept();
        Socket two = user();
        Socket second = server.accept()) {
      send(one, INVITE);
      expect(first, INVITE);
      send(second, Rig.response(200, INVITE)); // by another stream than the request's
      expect(two, Rig.response(200, INVITE));
      assertEquals(1, tally.get(Why.RESPONSE_UNKNOWN));
      assertEquals(0, tally.get(Why.RESPONSE));
    }
  }

  @Test
  void aBrokenStreamEndsAfterItsWholeMessages() throws IOException {
    try (Socket user = user();
        Socket peer = server.accept()) {
      user.getOutputStream()
          .write(
              (new String(Rig.bytes(INVITE), StandardCharsets.US_ASCII) + "\0")
                  .getBytes(StandardCharsets.US_ASCII));
      expect(peer, INVITE);
      assertEquals(-1, peer.getInputStream().read());
      assertEquals(-1, user.getInputStream().read());
      assertEquals(1, streams.counted(StreamEvent.STREAM_BROKEN));
      assertEquals(1, errors.get(SipError.START_LINE));
    }
  }

  @Test
  void theEndOfEitherSideIsTheEndOfBoth() throws IOException {
    try (Socket user = user();
        Socket peer = server.accept()) {
      send(user, INVITE);
      user.shutdownOutput();
      assertArrayEquals(Rig.bytes(INVITE), peer.getInputStream().readAllBytes());
      assertEquals(-1, user.getInputStream().read());
    }
  }

  @Test
  void oneAddressHasAQuarterAndADeadServerNone() throws IOException {
    try (Socket one = user();
        Socket first = server.accept();
        Socket two = user();
        Socket second = server.accept()) {
      send(one, INVITE);
      expect(first, INVITE);
      send(two, INVITE);
      expect(second, INVITE);
      try (Socket three = user()) {
        assertEquals(-1, three.getInputStream().read());
      }
      assertEquals(1, streams.counted(StreamEvent.STREAM_SHARE));
    }
    while (streams.counted(StreamEvent.STREAM_CLOSED) < 2) {
      LockSupport.parkNanos(1_000_000);
    }
    server.close();
    try (Socket user = user()) {
      assertEquals(-1, user.getInputStream().read());
      assertEquals(1, streams.counted(StreamEvent.STREAM_NO_SERVER));
    }
  }

  /** A user that reads nothing stops being read, and others go on. */
  @Test
  void aUserThatDoesNotReadItsRejectionsIsNotReadFurther() throws IOException {
    closeServer();
    try (Socket deaf = user();
        Socket unused = server.accept();
        Socket user = user();
        Socket peer = server.accept()) {
      deaf.setSendBufferSize(1 << 16);
      Thread flood =
          new Thread(
              () -> {
                try {
                  for (int i = 0; i < 40_000; i++) {
                    send(deaf, Rig.request("INVITE", "d" + i, ""));
                  }
                } catch (IOException e) {
                  return; // closed below
                }
              });
      flood.start();
      long before = -1;
      while (tally.get(Why.REJECTED) != before || before < 100) {
        before = tally.get(Why.REJECTED);
        LockSupport.parkNanos(200_000_000);
      }
      assertTrue(before < 40_000, "rejected " + before);
      send(user, INVITE);
      assertTrue(read(user).startsWith("SIP/2.0 503 "));
      assertEquals(0, unused.getInputStream().available() + peer.getInputStream().available());
    }
  }
}
