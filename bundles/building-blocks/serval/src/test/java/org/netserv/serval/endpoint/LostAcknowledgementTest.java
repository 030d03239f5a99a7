// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.netserv.serval.Control;
import org.netserv.serval.ControlFlags;
import org.netserv.serval.Endpoint;
import org.netserv.serval.SalPacket;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.host.HostLimits;
import org.netserv.serval.host.HostVerdict;

/** The third message of a handshake gets lost, and the server has no state to ask for it again. */
class LostAcknowledgementTest {
  private static final ServicePrefix SHOP = ServicePrefix.of(ServiceId.parse("00004001"));
  private static final Endpoint SERVER = LossyNet.address(200);
  private static final EndpointSettings CLIENTS =
      EndpointSettings.DEFAULT.with(new Router(SHOP.id(), SERVER));

  private final LossyNet net = new LossyNet(1);
  private final ServalEndpoint client = net.endpoint(100, CLIENTS);
  private final ServalEndpoint server = net.endpoint(200, stateless());
  private final SalPacket read = new SalPacket();
  private int thirds; // have come to the server's address
  private int losses; // of them, before one gets through

  private static EndpointSettings stateless() {
    EndpointSettings settings = EndpointSettings.DEFAULT;
    return new EndpointSettings(
        List.of(),
        settings.longest(),
        settings.abilities(),
        new HostLimits(100, 0),
        settings.rules(),
        settings.streams());
  }

  @BeforeEach
  void loseThirds() {
    net.attach(
        SERVER,
        (packet, from, to) -> {
          if (!isThird(packet) || ++thirds > losses) {
            server.receive(packet, from, to);
          }
        });
  }

  private boolean isThird(ByteBuffer packet) {
    read.reset(packet, packet.position(), packet.limit());
    return Streams.isThird(read);
  }

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  private void assertProven(int sent) {
    assertEquals(sent, thirds);
    assertEquals(1, server.host().verdicts().of(HostVerdict.ANSWERED));
    assertEquals(1, server.host().verdicts().of(HostVerdict.PROVEN));
    assertEquals(0, client.host().verdicts().of(HostVerdict.NO_FLOW));
  }

  /** Neither end would send anything for ever. */
  @Test
  void theServerSpeaksFirst() {
    losses = 1;
    StreamProgram speaker = StreamProgram.writer(random(5_000));
    server.bindLocally(SHOP, ServiceHandler.ofStreams(opened -> speaker));
    StreamProgram listener = new StreamProgram();
    client.connectStream(SHOP.id(), listener);
    net.run(10_000);
    assertArrayEquals(random(5_000), listener.got.toByteArray());
    assertProven(2);
  }

  /** The data that came too early come again, and none of them is left out. */
  @Test
  void dataComeFirst() {
    losses = 2;
    StreamProgram echo = StreamProgram.echo();
    server.bindLocally(SHOP, ServiceHandler.ofStreams(opened -> echo));
    StreamProgram asker = StreamProgram.writer(random(100_000));
    client.connectStream(SHOP.id(), asker);
    net.run(60_000);
    assertTrue(server.host().verdicts().of(HostVerdict.EARLY) >= 10);
    assertArrayEquals(random(100_000), asker.got.toByteArray());
    assertEquals(List.of("connected", "end", "closed OWN"), asker.heard);
    assertProven(3);
  }

  /** Another copy of the SYN-ACK has the client repeat its message behind data. */
  @Test
  void dataComeFirstAndTheAnswerTwice() {
    losses = 1;
    net.attach(
        client.own(),
        (packet, from, to) -> {
          client.receive(packet.duplicate(), from, to);
          read.reset(packet, packet.position(), packet.limit());
          if (ControlFlags.has(Control.flags(read), ControlFlags.SYN)) {
            net.at(net.now() + 30, () -> client.receive(packet, from, to));
          }
        });
    StreamProgram echo = StreamProgram.echo();
    server.bindLocally(SHOP, ServiceHandler.ofStreams(opened -> echo));
    StreamProgram asker = StreamProgram.writer(random(100_000));
    client.connectStream(SHOP.id(), asker);
    net.run(60_000);
    assertArrayEquals(random(100_000), asker.got.toByteArray());
    assertProven(4); // two more before the data come again, after a second
  }

  @Test
  void datagramsFollow() {
    losses = 1;
    Program echo = new Program(true);
    server.bindLocally(SHOP, echo);
    Program asker = new Program(false);
    DatagramFlow flow = client.connect(SHOP.id(), asker);
    net.at(500, () -> flow.send(Program.bytes("after the second one")));
    net.run(10_000);
    assertEquals(List.of("connected", "after the second one"), asker.heard);
    assertProven(2);
  }

  /** A server that has sent something has the flow. */
  @Test
  void nothingIsRepeatedBehindAnAnswer() {
    StreamProgram echo = StreamProgram.echo();
    server.bindLocally(SHOP, ServiceHandler.ofStreams(opened -> echo));
    client.connectStream(SHOP.id(), StreamProgram.writer(random(100)));
    net.run(60_000);
    assertProven(1);
  }

  /** The repeated ones change nothing where the first has come. */
  @Test
  void aServerThatIsSilentTakesAllOfThem() {
    StreamProgram silent = new StreamProgram();
    server.bindLocally(SHOP, ServiceHandler.ofStreams(opened -> silent));
    StreamProgram waits = new StreamProgram();
    client.connectStream(SHOP.id(), waits);
    net.run(60_000);
    assertProven(6);
    assertEquals(List.of("connected"), silent.heard);
    assertEquals(List.of("connected"), waits.heard);
    assertEquals(0, server.host().verdicts().of(HostVerdict.FLOW_REFUSES));
  }
}
