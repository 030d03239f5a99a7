// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.stream.StreamSettings;
import org.netserv.values.AllocatedBytes;

/** Packets of two loops that leave and come in batches, over the loopback interface. */
class ServalLoopTest {
  private static final ServiceId SHOP = ServiceId.parse("00004001");
  private static final int MSS = 1_000;
  private static final int WINDOW = 10; // segments, RFC 6928
  private static final int PATIENCE = 5_000; // milliseconds

  /** Bytes for 1,049 segments, all of the JDK's channel and selector. */
  private static final int MOST_BYTES = 1_049 * 150;

  private final EndpointSettings settings =
      EndpointSettings.DEFAULT.with(new StreamSettings(MSS, 1 << 20, 1 << 20));
  private final ServalLoop server = ServalLoop.open(local(), settings);
  private final ServalLoop client =
      ServalLoop.open(
          local(),
          settings.with(new Router(Router.PUBLISHED, Addresses.endpoint(server.localAddress()))));
  private final ByteBuffer piece = ByteBuffer.allocateDirect(1 << 16);
  private ServalStream accepted;
  private ServalStream stream;
  private long read;

  ServalLoopTest() throws IOException {}

  private static InetSocketAddress local() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  private static void fail(RuntimeException failure) {
    throw failure;
  }

  /** Lets one end take all that has come, and send. */
  private static void round(ServalLoop loop, int most) throws IOException {
    loop.select(most);
    loop.receive(ServalLoopTest::fail);
    loop.send(ServalLoopTest::fail);
  }

  private void connect() throws IOException {
    server
        .endpoint()
        .bindLocally(
            ServicePrefix.of(SHOP),
            ServiceHandler.ofStreams(
                opened -> {
                  accepted = opened;
                  return this::read;
                }));
    stream = client.endpoint().connectStream(SHOP, opened -> {});
    round(client, 0);
    while (!stream.isOpen() || accepted == null || !accepted.isOpen()) {
      round(server, 1);
      round(client, 1);
    }
    while (server.endpoint().dueAt() <= 0 || client.endpoint().dueAt() <= 0) {
      round(server, 1);
      round(client, 1);
    }
  }

  private void read(ServalStream opened) {
    int count = opened.read(piece.clear());
    while (count > 0) {
      read += count;
      count = opened.read(piece.clear());
    }
  }

  private static long sent(ServalLoop loop) {
    return loop.endpoint().verdicts().of(EndpointVerdict.SENT);
  }

  @Test
  void aWindowOfSegmentsIsAcknowledgedOnce() throws IOException {
    connect();
    long segments = sent(client);
    long answers = sent(server);
    stream.write(piece.clear().limit(WINDOW * MSS));
    assertEquals(segments, sent(client), "nothing leaves before the end of the round");
    round(client, 0);
    assertEquals(segments + WINDOW, sent(client));
    round(server, PATIENCE);
    assertEquals(WINDOW * MSS, read, "one round takes all that has come");
    assertEquals(answers + 1, sent(server));
    round(client, PATIENCE);
    assertEquals(0, stream.unacknowledged());
  }

  @Test
  void moreThanTheQueueHoldsLeavesInBatches() throws IOException {
    ByteBuffer datagram = ByteBuffer.allocateDirect(100);
    int count = 2 * SendQueue.MOST + 1;
    Box box = new Box();
    server.endpoint().bindLocally(ServicePrefix.of(SHOP), box);
    for (int i = 0; i < count; i++) {
      datagram.clear().putInt(0, i);
      assertTrue(
          client
              .endpoint()
              .send(ServiceId.ZERO, SHOP, Addresses.endpoint(server.localAddress()), datagram));
    }
    round(client, 0);
    while (box.received < count) {
      long before = box.received;
      round(server, PATIENCE);
      assertTrue(box.received > before, "a datagram is missing");
    }
    assertEquals(0, client.endpoint().verdicts().of(EndpointVerdict.REFUSED));
  }

  @Test
  void aPacketThatTheSystemRefusesIsCounted() throws IOException {
    ByteBuffer datagram = ByteBuffer.allocateDirect(100);
    InetSocketAddress nowhere = new InetSocketAddress("255.255.255.255", 9); // needs SO_BROADCAST
    assertTrue(client.endpoint().send(ServiceId.ZERO, SHOP, Addresses.endpoint(nowhere), datagram));
    round(client, 0);
    assertEquals(1, client.endpoint().verdicts().of(EndpointVerdict.REFUSED));
    connect();
  }

  /** The block adds no object to the ones of the JDK's channel. */
  @Test
  void segmentsAllocateWhatTheChannelDoes() throws IOException {
    connect();
    transfer(1 << 22);
    long least = AllocatedBytes.least(() -> transfer(1 << 20));
    assertTrue(least < MOST_BYTES, () -> least + " bytes");
  }

  private void transfer(int bytes) {
    long end = read + bytes;
    try {
      while (read < end) {
        stream.write(piece.clear().limit((int) Math.min(piece.capacity(), end - read)));
        round(client, 0);
        round(server, 0);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Counts datagrams, which have to come in their order. */
  private static final class Box implements ServiceHandler {
    private int received;

    @Override
    public FlowHandler accept(DatagramFlow flow) {
      return null;
    }

    @Override
    public void received(Datagram datagram) {
      assertEquals(received++, datagram.payload().getInt());
    }
  }
}
