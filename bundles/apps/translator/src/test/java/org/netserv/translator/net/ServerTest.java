// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.netserv.translator.core.Limits;
import org.netserv.translator.core.Outcome;

/** Two translators in a row, between sockets of TCP that know nothing of Serval. */
class ServerTest {
  /** Bytes that four sockets of the kernel, two streams and two relays may hold in all. */
  private static final int HELD = 24_000_000;

  private static byte[] random(int seed, int count) {
    byte[] bytes = new byte[count];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /**
   * A thread for each call: the common pool may have a single one, and calls wait for each other.
   */
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  private CompletableFuture<Void> write(Socket socket, byte[] bytes) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            socket.getOutputStream().write(bytes);
            socket.shutdownOutput();
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        },
        threads);
  }

  @Test
  void bothWaysAtOnceWithTheirEnds() throws Exception {
    try (Pair pair = new Pair(Pair.LIMITS, Pair.LIMITS);
        Socket client = pair.connect();
        Socket server = pair.accept()) {
      byte[] up = random(1, 3_000_000);
      byte[] down = random(2, 5_000_000);
      Future<Void> first = write(client, up);
      Future<Void> second = write(server, down);
      CompletableFuture<byte[]> got =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return server.getInputStream().readAllBytes();
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              },
              threads);
      assertArrayEquals(down, client.getInputStream().readAllBytes());
      assertArrayEquals(up, got.get());
      first.get();
      second.get();
      Pair.await(pair.nearTally, Outcome.ENDED, 1);
      Pair.await(pair.farTally, Outcome.ENDED, 1);
      assertEquals(1, pair.nearTally.get(Outcome.TO_SERVAL));
      assertEquals(1, pair.farTally.get(Outcome.FROM_SERVAL));
      assertEquals(0, pair.near.size() + pair.far.size());
    }
  }

  /** The server answers long after the client has ended its data. */
  @Test
  void halfClose() throws Exception {
    try (Pair pair = new Pair(Pair.LIMITS, Pair.LIMITS);
        Socket client = pair.connect();
        Socket server = pair.accept()) {
      write(client, new byte[] {1, 2, 3}).get();
      assertArrayEquals(new byte[] {1, 2, 3}, server.getInputStream().readAllBytes());
      byte[] answer = random(3, 1_000_000);
      write(server, answer).get();
      assertArrayEquals(answer, client.getInputStream().readAllBytes());
      Pair.await(pair.farTally, Outcome.ENDED, 1);
    }
  }

  /** A server that speaks first, and ends at once. */
  @Test
  void theServerEndsFirst() throws Exception {
    try (Pair pair = new Pair(Pair.LIMITS, Pair.LIMITS);
        Socket client = pair.connect();
        Socket server = pair.accept()) {
      write(server, new byte[] {7}).get();
      assertArrayEquals(new byte[] {7}, client.getInputStream().readAllBytes());
      write(client, new byte[] {8, 9}).get();
      assertArrayEquals(new byte[] {8, 9}, server.getInputStream().readAllBytes());
      Pair.await(pair.nearTally, Outcome.ENDED, 1);
    }
  }

  @Test
  void aResetGoesThroughInBothDirections() throws Exception {
    try (Pair pair = new Pair(Pair.LIMITS, Pair.LIMITS)) {
      for (boolean clients : new boolean[] {true, false}) {
        Socket client = pair.connect();
        Socket server = pair.accept();
        client.getOutputStream().write(1);
        assertEquals(1, server.getInputStream().read());
        Socket breaks = clients ? client : server;
        Socket other = clients ? server : client;
        breaks.setOption(StandardSocketOptions.SO_LINGER, 0);
        breaks.close();
        assertThrows(SocketException.class, () -> other.getInputStream().read());
        other.close();
      }
      Pair.await(pair.nearTally, Outcome.BROKEN, 2);
      Pair.await(pair.farTally, Outcome.BROKEN, 2);
      assertEquals(0, pair.near.size() + pair.far.size());
    }
  }

  /** A server that reads nothing stops the client, and loses no byte. */
  @Test
  void backPressure() throws Exception {
    try (Pair pair = new Pair(Pair.LIMITS, Pair.LIMITS);
        SocketChannel client = pair.connectChannel();
        Socket server = pair.accept()) {
      byte[] sent = random(4, 64_000_000);
      ByteBuffer bytes = ByteBuffer.wrap(sent);
      client.configureBlocking(false);
      int still = 0;
      while (still < 50 && bytes.hasRemaining()) {
        still = client.write(bytes) == 0 ? still + 1 : 0;
        Thread.sleep(10);
      }
      assertTrue(bytes.position() < HELD, "taken: " + bytes.position());
      client.configureBlocking(true);
      CompletableFuture<Void> rest =
          CompletableFuture.runAsync(
              () -> {
                try {
                  client.write(bytes);
                  client.shutdownOutput();
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              },
              threads);
      assertTrue(Arrays.equals(sent, server.getInputStream().readAllBytes()));
      rest.get();
    }
  }

  @Test
  void manyAtOnce() throws Exception {
    try (Pair pair = new Pair(Pair.LIMITS, Pair.LIMITS)) {
      int count = 60;
      List<Future<Void>> ends = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        byte[] sent = random(i, new Random(i).nextInt(200_000));
        ends.add(
            threads.submit(
                () -> {
                  try (Socket client = pair.connect()) {
                    Future<Void> written = write(client, sent);
                    assertArrayEquals(sent, client.getInputStream().readAllBytes());
                    written.get();
                  }
                  return null;
                }));
      }
      for (int i = 0; i < count; i++) {
        Socket server = pair.accept();
        ends.add(threads.submit(() -> echo(server)));
      }
      for (Future<Void> end : ends) {
        end.get();
      }
      Pair.await(pair.nearTally, Outcome.ENDED, count);
      Pair.await(pair.farTally, Outcome.ENDED, count);
    } finally {
      threads.shutdownNow();
    }
  }

  private static Void echo(Socket socket) throws IOException {
    try (socket) {
      InputStream in = socket.getInputStream();
      in.transferTo(socket.getOutputStream());
      socket.shutdownOutput();
    }
    return null;
  }

  private static Limits limits(int connections, int perSource, int connect, int idle) {
    return new Limits(connections, perSource, connect, idle, 64 * 1024, 0);
  }

  private static void isReset(Socket socket) throws IOException {
    try (socket) {
      assertThrows(SocketException.class, () -> socket.getInputStream().read());
    }
  }

  @Test
  void connectionsAreBounded() throws Exception {
    try (Pair pair = new Pair(limits(3, 2, 5000, 20_000), limits(1, 1, 5000, 20_000))) {
      Socket first = pair.connect();
      Socket accepted = pair.accept();
      isReset(pair.connect()); // the far one has no place, and its RST comes here
      Pair.await(pair.farTally, Outcome.CONNECTIONS_FULL, 1);
      first.getOutputStream().write(5);
      assertEquals(5, accepted.getInputStream().read());
      first.close();
      accepted.close();
      Pair.await(pair.farTally, Outcome.ENDED, 1);
      Socket again = pair.connect();
      pair.accept().close();
      assertEquals(-1, again.getInputStream().read());
      again.close();
    }
    try (Pair pair = new Pair(limits(3, 2, 5000, 20_000), Pair.LIMITS)) {
      Socket first = pair.connect();
      Socket second = pair.connect();
      isReset(pair.connect());
      Pair.await(pair.nearTally, Outcome.SOURCE_FULL, 1);
      first.close();
      second.close();
    }
  }

  @Test
  void aServerThatIsNotThereRefuses() throws Exception {
    try (Pair pair = new Pair(Pair.LIMITS, Pair.LIMITS)) {
      pair.server.close();
      isReset(pair.connect());
      Pair.await(pair.farTally, Outcome.CONNECT_REFUSED, 1);
    }
  }

  @Test
  void whatDoesNotAnswer() throws Exception {
    try (Pair pair = new Pair(limits(9, 9, 300, 20_000), Pair.LIMITS)) {
      pair.far.close();
      isReset(pair.connect());
      Pair.await(pair.nearTally, Outcome.CONNECT_LATE, 1);
      assertEquals(0, pair.near.size());
    }
  }

  @Test
  void anIdleConnectionEnds() throws Exception {
    try (Pair pair = new Pair(limits(9, 9, 5000, 300), Pair.LIMITS);
        Socket client = pair.connect();
        Socket server = pair.accept()) {
      assertThrows(SocketException.class, () -> client.getInputStream().read());
      assertThrows(SocketException.class, () -> server.getInputStream().read());
      Pair.await(pair.nearTally, Outcome.IDLE, 1);
      Pair.await(pair.farTally, Outcome.BROKEN, 1);
    }
  }

  /** Other limits end no connection; the end of the module breaks it off. */
  @Test
  void aChangeEndsNoConnectionAndTheEndDrains() throws Exception {
    try (Pair pair = new Pair(Pair.LIMITS, Pair.LIMITS);
        Socket client = pair.connect();
        Socket server = pair.accept()) {
      client.getOutputStream().write(1);
      assertEquals(1, server.getInputStream().read());
      pair.near.change(pair.nearPlan(limits(1, 1, 5000, 20_000)));
      client.getOutputStream().write(2);
      assertEquals(2, server.getInputStream().read());
      isReset(pair.connect());
      Pair.await(pair.nearTally, Outcome.CONNECTIONS_FULL, 1);
      pair.near.close();
      Pair.await(pair.nearTally, Outcome.DRAINED, 1);
      assertThrows(SocketException.class, () -> client.getInputStream().read());
      assertThrows(SocketException.class, () -> server.getInputStream().read());
    }
  }

  /** A connection that ends within the time of the drain loses nothing. */
  @Test
  void aDrainWaits() throws Exception {
    Limits patient = new Limits(9, 9, 5000, 20_000, 64 * 1024, 60_000);
    try (Pair pair = new Pair(patient, Pair.LIMITS);
        Socket client = pair.connect();
        Socket server = pair.accept()) {
      CompletableFuture<Void> closing = CompletableFuture.runAsync(pair.near::close, threads);
      byte[] sent = random(5, 2_000_000);
      Future<Void> written = write(client, sent);
      assertArrayEquals(sent, server.getInputStream().readAllBytes());
      server.shutdownOutput();
      assertEquals(-1, client.getInputStream().read());
      written.get();
      closing.get();
      assertEquals(1, pair.nearTally.get(Outcome.ENDED));
      assertThrows(IOException.class, pair::connect);
    }
  }
}
