// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.serval.Endpoint;
import org.netserv.serval.SalChecksum;
import org.netserv.serval.SalPacket;
import org.netserv.serval.ServalError;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.host.HostLimits;
import org.netserv.serval.host.HostVerdict;
import org.netserv.serval.stream.StreamSettings;
import org.netserv.values.AllocatedBytes;

/** Streams by name between two endpoints and a router, in virtual time. */
class EndpointStreamTest {
  private static final ServicePrefix SHOP = ServicePrefix.of(ServiceId.parse("00004001"));
  private static final Endpoint ROUTER = LossyNet.address(3);
  private static final EndpointSettings ROUTED =
      EndpointSettings.DEFAULT
          .with(new Router(Router.PUBLISHED, ROUTER))
          .with(new StreamSettings(1_000, 1 << 16, 1 << 16));

  private LossyNet net;
  private ServalEndpoint client;
  private ServalEndpoint server;
  private StreamProgram asker;
  private StreamProgram echo;
  private ServalStream stream;
  private TestRouter router;

  private static byte[] random(long seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private void begin(long seed, boolean keepsSource, EndpointSettings servers) {
    net = new LossyNet(seed);
    client = net.endpoint(100, ROUTED);
    server = net.endpoint(200, servers);
    echo = StreamProgram.echo();
    router = new TestRouter(net, ROUTER, keepsSource, net::now);
    net.attach(ROUTER, router::take);
    server.bind(SHOP, ServiceHandler.ofStreams(opened -> echo));
    net.run(100);
  }

  private void connect(byte[] bytes) {
    asker = StreamProgram.writer(bytes);
    stream = client.connectStream(SHOP.id(), asker);
  }

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void anEchoByName(boolean keepsSource) {
    begin(1, keepsSource, ROUTED);
    byte[] bytes = random(1, 500_000);
    connect(bytes);
    net.run(60_000);
    assertArrayEquals(bytes, asker.got.toByteArray());
    assertEquals(List.of("connected", "end", "closed OWN"), asker.heard);
    assertEquals(List.of("connected", "end", "closed PEER"), echo.heard);
    net.run(200_000);
    assertEquals(0, client.size() + server.size());
    assertEquals(Long.MAX_VALUE, client.dueAt());
    assertEquals(0, client.host().verdicts().of(HostVerdict.NO_FLOW));
  }

  /** SAL keeps the flow for longer than TCP waits for the peer's FIN. */
  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void anEndThatClosesFirstIsForgotten() {
    begin(11, true, ROUTED);
    connect(new byte[0]);
    net.run(net.now() + 1_000);
    stream.close();
    net.run(net.now() + 300_000);
    assertEquals(List.of("connected", "end", "closed PEER"), echo.heard);
    assertEquals(0, client.size() + server.size());
    assertEquals(Long.MAX_VALUE, client.dueAt());
  }

  /** Loss, copies and reordering, and each end moves twice in the middle of the transfer. */
  @ParameterizedTest
  @CsvSource({"0, 0, 0", "0.02, 0.1, 20", "0.3, 0.3, 200"})
  void bothEndsMoveInTheMiddle(double lost, double doubled, long jitter) {
    for (int seed = 0; seed < 25; seed++) {
      String run = "seed " + seed;
      begin(seed, seed % 2 == 0, ROUTED);
      byte[] bytes = random(seed, 200_000);
      connect(bytes);
      net.run(net.now() + 50);
      net.lost = lost;
      net.doubled = doubled;
      net.jitter = jitter;
      for (int i = 1; i <= 2; i++) {
        int host = i;
        net.at(net.now() + i * 90_000L - 89_900, () -> net.move(client, 100 + host, false));
        net.at(net.now() + i * 90_000L - 45_000, () -> net.move(server, 200 + host, false));
      }
      net.run(net.now() + 250_000);
      net.lost = 0;
      net.run(net.now() + 3_600_000);
      assertArrayEquals(bytes, asker.got.toByteArray(), run);
      assertEquals(List.of("connected", "end", "closed OWN"), asker.heard, run);
      assertEquals(List.of("connected", "end", "closed PEER"), echo.heard, run);
      assertEquals(0, client.size() + server.size(), run);
      for (ServalEndpoint end : List.of(client, server)) {
        assertEquals(0, end.faults().of(ServalError.CHECKSUM), run);
        assertEquals(0, end.verdicts().of(EndpointVerdict.SEGMENT), run);
        assertEquals(0, end.verdicts().of(EndpointVerdict.HANDSHAKE), run);
      }
    }
  }

  /** The old address dies for a second, and then the client has another one. */
  @Test
  void dataGoOnSoonAfterTheMove() {
    begin(1, true, ROUTED);
    connect(random(1, 5_000_000));
    net.run(300);
    net.detach(client.own());
    net.run(1_500);
    int before = asker.got.size();
    net.run(1_700);
    assertEquals(before, asker.got.size(), "the path is dead");
    net.move(client, 101, true);
    net.run(1_735); // RSYN and its answer, then the first segment and the echo
    assertTrue(asker.got.size() > before, "data again");
    net.run(120_000);
    assertEquals(5_000_000, asker.got.size());
  }

  /** Requests beyond the limit are answered without state, and keep SACK, scale and MSS. */
  @Test
  void aStreamWithoutStateAtTheServer() {
    EndpointSettings none =
        new EndpointSettings(
            ROUTED.routers(),
            ROUTED.longest(),
            ROUTED.abilities(),
            new HostLimits(100, 0),
            ROUTED.rules(),
            ROUTED.streams());
    begin(1, true, none);
    byte[] bytes = random(1, 300_000);
    connect(bytes);
    net.lost = 0;
    net.run(60_000);
    assertEquals(1, server.host().verdicts().of(HostVerdict.ANSWERED));
    assertEquals(1, server.host().verdicts().of(HostVerdict.PROVEN));
    assertArrayEquals(bytes, asker.got.toByteArray());
  }

  /** Late binding: half of the SYNs go to an instance that is dead, and the next try to another. */
  @Test
  void eachTryIsResolvedAnew() {
    begin(1, true, ROUTED);
    router.rule(SHOP, LossyNet.address(77));
    List<StreamProgram> programs = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      programs.add(StreamProgram.writer(random(i, 5_000)));
      client.connectStream(SHOP.id(), programs.get(i));
    }
    net.run(net.now() + 40_000);
    assertTrue(net.gone > 5, "SYNs to the dead instance: " + net.gone);
    for (int i = 0; i < 20; i++) {
      assertTrue(programs.get(i).heard.contains("connected"), "stream " + i);
    }
    assertEquals(20, server.host().verdicts().of(HostVerdict.REQUEST));
  }

  @Test
  void aServiceOfDatagramsAcceptsNoStream() {
    begin(1, true, ROUTED);
    Program datagrams = new Program(true);
    server.bind(ServicePrefix.of(ServiceId.parse("0000d903")), datagrams);
    net.run(net.now() + 1_000);
    StreamProgram program = StreamProgram.writer(new byte[9]);
    client.connectStream(ServiceId.parse("0000d903"), program);
    Program flow = new Program(false);
    client.connect(SHOP.id(), flow);
    net.run(net.now() + 1_000);
    assertEquals(List.of("connected", "closed RESET"), program.heard);
    assertEquals(List.of("connected", "closed RESET"), flow.heard);
    assertEquals(2, server.verdicts().of(EndpointVerdict.NOT_ACCEPTED));
  }

  @Test
  void oneServiceOfBoth() {
    begin(1, true, ROUTED);
    Program datagrams = new Program(true);
    ServiceId both = ServiceId.parse("0000d904");
    server.bind(
        ServicePrefix.of(both),
        new ServiceHandler() {
          @Override
          public FlowHandler accept(DatagramFlow flow) {
            return datagrams;
          }

          @Override
          public StreamHandler acceptStream(ServalStream opened) {
            return echo;
          }
        });
    net.run(net.now() + 1_000);
    StreamProgram program = StreamProgram.writer(random(1, 20));
    client.connectStream(both, program);
    Program asks = new Program(false);
    DatagramFlow flow = client.connect(both, asks);
    net.run(net.now() + 1_000);
    flow.send(Program.bytes("and a datagram"));
    net.run(net.now() + 1_000);
    assertArrayEquals(random(1, 20), program.got.toByteArray());
    assertTrue(asks.heard.contains("and a datagram"));
  }

  @Test
  void abortAndClose() {
    begin(1, true, ROUTED);
    connect(new byte[0]);
    net.run(net.now() + 1_000);
    stream.abort();
    stream.abort();
    assertEquals(0, stream.write(ByteBuffer.allocate(5)));
    net.run(net.now() + 1_000);
    assertEquals(List.of("connected", "closed OWN"), asker.heard);
    assertEquals(List.of("connected", "closed RESET"), echo.heard);
    assertEquals(0, client.size() + server.size());
  }

  @Test
  void theServerCloses() {
    begin(1, true, ROUTED);
    connect(new byte[0]);
    net.run(net.now() + 1_000);
    server.close();
    net.run(net.now() + 1_000);
    assertEquals(List.of("connected", "closed RESET"), asker.heard);
    assertFalse(stream.isOpen());
    assertEquals(0, client.size() + server.size());
  }

  /** Early writes leave behind the handshake. */
  @Test
  void earlyWrites() {
    begin(1, true, ROUTED);
    connect(new byte[0]);
    assertEquals(30, stream.write(ByteBuffer.wrap(random(5, 30))));
    net.run(net.now() + 5_000);
    assertArrayEquals(random(5, 30), asker.got.toByteArray());
  }

  /** Changed packets of a stream neither throw nor end it, unless they are what they say. */
  @Test
  void mutants() {
    List<byte[]> seen = new ArrayList<>();
    begin(1, true, ROUTED);
    net.attach(
        server.own(),
        (packet, from, to) -> {
          byte[] copy = new byte[packet.remaining()];
          packet.get(packet.position(), copy);
          seen.add(copy);
          server.receive(packet, from, to);
        });
    connect(random(1, 30_000));
    net.run(net.now() + 5_000);
    assertTrue(seen.size() > 30);
    Random random = new Random(3);
    SalPacket read = new SalPacket();
    long taken = server.faults().snapshot().values().stream().mapToLong(Long::longValue).sum();
    for (int i = 0; i < 100_000; i++) {
      byte[] bytes = seen.get(random.nextInt(seen.size())).clone();
      int length = random.nextInt(4) == 0 ? random.nextInt(bytes.length) : bytes.length;
      ByteBuffer buffer = ByteBuffer.wrap(bytes, 0, length);
      for (int j = random.nextInt(3); j >= 0; j--) {
        bytes[random.nextInt(Math.min(100, bytes.length))] ^= (byte) (1 << random.nextInt(8));
      }
      if (random.nextBoolean() && length >= 12) {
        mend(buffer, length);
      }
      read.reset(buffer, 0, length);
      server.receive(buffer, client.own(), server.own());
      net.run(net.now());
    }
    long all = server.faults().snapshot().values().stream().mapToLong(Long::longValue).sum();
    assertEquals(100_000, all - taken, "each is counted once");
    assertTrue(server.verdicts().of(EndpointVerdict.SEGMENT) > 1_000);
  }

  /** Makes the checksum of the SAL header right, so that the segment behind it is looked at. */
  private static void mend(ByteBuffer buffer, int length) {
    int end = Math.min(length, (buffer.get(8) & 0xff) * 4);
    if (end >= 12) {
      buffer.putShort(10, (short) 0);
      buffer.putShort(10, (short) SalChecksum.of(buffer, 0, end));
    }
  }

  /** The packets under way to one endpoint, in memory that is there before. */
  private static final class Line implements Wire {
    private final ByteBuffer[] packets = new ByteBuffer[1_024];
    private int put;
    private int taken;

    Line() {
      for (int i = 0; i < packets.length; i++) {
        packets[i] = ByteBuffer.allocateDirect(2_000);
      }
    }

    @Override
    public boolean send(ByteBuffer packet, Endpoint from, Endpoint to) {
      packets[put++ % packets.length].clear().put(packet).flip();
      return true;
    }

    void deliver(ServalEndpoint receiver, Endpoint from) {
      while (taken < put) {
        receiver.receive(packets[taken++ % packets.length], from, receiver.own());
      }
    }
  }

  /**
   * From a write through both endpoints to a read, and the acknowledgements back: 7,000 segments,
   * and the times of their probes and timeouts.
   */
  @Test
  void dataOfAStreamAllocateNothing() {
    long[] now = new long[1];
    long[] received = new long[1];
    Line there = new Line();
    Line back = new Line();
    Endpoint one = LossyNet.address(1);
    Endpoint two = LossyNet.address(2);
    EndpointSettings settings = EndpointSettings.DEFAULT.with(new Router(SHOP.id(), two));
    ServalEndpoint sender = new ServalEndpoint(settings, there, one, new Random(1), () -> now[0]);
    ServalEndpoint receiver =
        new ServalEndpoint(EndpointSettings.DEFAULT, back, two, new Random(2), () -> now[0]);
    ByteBuffer piece = ByteBuffer.allocateDirect(100_000);
    StreamHandler reads =
        opened -> {
          for (int count = 1; count > 0; ) {
            count = opened.read(piece.clear());
            received[0] += Math.max(0, count);
          }
        };
    ServicePrefix sink = ServicePrefix.of(ServiceId.parse("0c"));
    receiver.bindLocally(sink, ServiceHandler.ofStreams(opened -> reads));
    ServalStream out = sender.connectStream(sink.id(), reads);
    ByteBuffer bytes = ByteBuffer.allocateDirect(50_000);
    Runnable work =
        () -> {
          for (int i = 0; i < 200; i++) {
            now[0]++;
            out.write(bytes.clear());
            sender.due();
            there.deliver(receiver, one);
            receiver.due();
            back.deliver(sender, two);
          }
        };
    work.run();
    work.run();
    assertTrue(received[0] > 5_000_000, "received " + received[0]);
    assertEquals(0, AllocatedBytes.least(work));
  }
}
