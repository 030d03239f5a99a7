// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.serval.endpoint.Program.bytes;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.netserv.serval.Captured;
import org.netserv.serval.Counts;
import org.netserv.serval.Packets;
import org.netserv.serval.ServalError;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.host.HostVerdict;
import org.netserv.values.AllocatedBytes;

/** Foreign bytes at an endpoint, and the cost of good ones. */
class EndpointFuzzTest {
  private static final int MUTANTS = 200_000;
  private static final int ROUNDS = 20_000;
  private static final ServicePrefix SHOP = ServicePrefix.of(ServiceId.parse("00004001"));
  private static final ServicePrefix HOME = ServicePrefix.of(ServiceId.parse("0d"));

  private final LossyNet net = new LossyNet(3);
  private final ServalEndpoint server = net.endpoint(2, EndpointSettings.DEFAULT);
  private final ServalEndpoint client =
      net.endpoint(1, EndpointSettings.DEFAULT.with(new Router(SHOP.id(), server.own())));
  private final Program asker = new Program(false);
  private final Program echo = new Program(false);
  private final List<byte[]> good = new ArrayList<>();
  private boolean keeps;
  private DatagramFlow flow;
  private long given;

  @BeforeEach
  void bind() {
    net.attach(
        server.own(),
        (bytes, from, to) -> {
          byte[] copy = new byte[bytes.remaining()];
          bytes.get(bytes.position(), copy);
          if (keeps) {
            good.add(copy);
          }
          give(copy);
        });
    server.bindLocally(SHOP, echo);
    client.bindLocally(HOME, asker);
    connect();
  }

  /** Sends a packet of each kind on a new flow, and keeps it. Nothing else is under way. */
  private void connect() {
    good.clear();
    echo.heard.clear();
    keeps = true;
    flow = client.connect(SHOP.id(), asker);
    net.run(net.now() + 100);
    flow.send(bytes("payload"));
    client.send(HOME.id(), SHOP.id(), null, bytes("x"));
    net.run(net.now() + 100);
    assertEquals(List.of("connected", "payload", "datagram x"), echo.heard);
    assertEquals(4, good.size());
    keeps = false;
  }

  private void give(byte[] bytes) {
    given++;
    server.receive(ByteBuffer.wrap(bytes), client.own(), server.own());
  }

  private long counted(Counts<?> counts) {
    return counts.snapshot().values().stream().mapToLong(Long::longValue).sum();
  }

  @Test
  void dataCutAtEveryLengthOrWithAnyOtherBit() {
    for (byte[] packet : good.subList(2, 4)) {
      int header = (packet[8] & 0xff) * 4;
      for (int length = 0; length < packet.length; length++) {
        give(Arrays.copyOf(packet, length));
        give(Arrays.copyOf(packet, packet.length + 1 + length));
      }
      for (int bit = header * 8; bit < packet.length * 8; bit++) {
        byte[] bad = packet.clone();
        bad[bit / 8] ^= (byte) (1 << bit % 8);
        give(bad);
      }
    }
    assertEquals(3, echo.heard.size());
    assertTrue(server.verdicts().of(EndpointVerdict.CHECKSUM) > 0);
    assertTrue(server.verdicts().of(EndpointVerdict.LENGTH) > 0);
  }

  /** Nothing is thrown, each packet is counted, and an honest datagram still gets through. */
  @Test
  void mutants() {
    Random random = new Random(11);
    List<byte[]> captured = Captured.all().stream().map(Captured::bytes).toList();
    for (int i = 0; i < MUTANTS; i++) {
      if (echo.heard.stream().anyMatch(word -> word.startsWith("closed"))) {
        again(); // a mutant with the right nonce has ended the flow
      }
      give(mutant(random, random.nextBoolean() ? good : captured));
      echo.heard.removeIf(word -> !word.startsWith("closed"));
    }
    assertEquals(given, counted(server.faults()));
    long sound = server.faults().of(ServalError.OK);
    long others = server.verdicts().of(EndpointVerdict.PROTOCOL);
    others += server.verdicts().of(EndpointVerdict.SEGMENT);
    others += server.verdicts().of(EndpointVerdict.HANDSHAKE);
    assertEquals(sound, counted(server.host().verdicts()) + others);
    assertTrue(server.host().verdicts().of(HostVerdict.DATA) > 1_000);
    assertTrue(server.host().verdicts().of(HostVerdict.FLOW_REFUSES) > 1_000);
    Program later = new Program(false);
    client.connect(SHOP.id(), later);
    net.run(net.now() + 200_000);
    assertTrue(later.heard.contains("connected"), later.heard.toString());
  }

  /** Connects again, when all that the mutants have begun is over. */
  private void again() {
    client.close();
    net.run(net.now() + 200_000);
    client.bindLocally(HOME, asker);
    connect();
  }

  private static byte[] mutant(Random random, List<byte[]> origins) {
    byte[] origin = origins.get(random.nextInt(origins.size()));
    byte[] bytes = Arrays.copyOf(origin, origin.length + random.nextInt(3) - 1);
    for (int n = random.nextInt(3); n > 0; n--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
    }
    Packets.seal(ByteBuffer.wrap(bytes));
    return bytes;
  }

  /** A datagram from the program through both endpoints to the program. */
  @Test
  void dataAllocateNothing() {
    long[] received = new long[1];
    Wire straight =
        (packet, from, to) -> {
          server.receive(packet, from, to);
          return true;
        };
    ServalEndpoint sender =
        new ServalEndpoint(
            EndpointSettings.DEFAULT.with(new Router(SHOP.id(), server.own())),
            straight,
            LossyNet.address(9),
            new Random(4),
            net::now);
    net.attach(LossyNet.address(9), sender::receive);
    ServicePrefix counter = ServicePrefix.of(ServiceId.parse("0c"));
    server.bindLocally(
        counter,
        open ->
            new FlowHandler() {
              @Override
              public void received(DatagramFlow from, ByteBuffer payload) {
                received[0] += payload.remaining();
              }
            });
    DatagramFlow out = sender.connect(counter.id(), asker);
    net.run(net.now() + 100);
    assertTrue(out.isOpen());
    ByteBuffer payload = ByteBuffer.allocateDirect(1_400);
    Runnable work =
        () -> {
          for (int i = 0; i < ROUNDS; i++) {
            out.send(payload);
          }
        };
    work.run();
    assertEquals(0, AllocatedBytes.least(work));
    assertEquals(server.verdicts().of(EndpointVerdict.DELIVERED) - 2, received[0] / 1_400);
  }
}
