// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.packet.Tally;
import org.netserv.serval.AddressList;
import org.netserv.serval.Capability;
import org.netserv.serval.Control;
import org.netserv.serval.ControlMessage;
import org.netserv.serval.Endpoint;
import org.netserv.serval.SalPacket;
import org.netserv.serval.SalWriter;
import org.netserv.serval.Service;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.SourceList;
import org.netserv.serval.registration.RegistrationDesk;
import org.netserv.serval.table.HeldPackets;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.TableLimits;
import org.netserv.serval.table.Target;
import org.netserv.servicerouter.Datagrams;

/**
 * Packets with the answer of this router, which the kernel's tests read: {@code
 * kernel/tests/vectors/serval-router.txt}, and with IPv6 {@code serval-router-v6.txt}. A line is
 *
 * <pre>
 *   NAME kernel|module PORT TTL PACKET TARGET PACKET     it goes on to the target as the second packet
 *   NAME module PORT TTL PACKET OUTCOME                  it does not go on
 * </pre>
 *
 * The word says whether the kernel writes the same packet, or leaves it to the module. The packet
 * comes from that port of 192.0.2.10 or 2001:db8:1::a. Its port 54325 is a known router.
 */
class KernelVectorsTest {
  private static final Path FILES = Path.of("../../../kernel/tests/vectors");
  private static final long NET_OF_CLIENTS = 0x20010db8_00010000L;
  private static final long NET_OF_HOSTS = 0x20010db8_00020000L;
  private static final int CLIENT = 0xc000020a;
  private static final int CLIENT_PORT = 4000;
  private static final int PEER_PORT = 54325;
  private static final int HOSTS = 0xc6336400;
  private static final int TTL = 60;
  private static final ServiceId WHOLE = ServiceId.parse("0000f00d" + "ab".repeat(28));
  private static final ServiceId LONGER = ServiceId.parse("000040010002");
  private static final ServiceId HALF = ServiceId.parse("5abc");
  private static final ServiceId HELD = ServiceId.parse("00004002");
  private static final ServiceId UNKNOWN = ServiceId.parse("77");

  private final List<String> lines = new ArrayList<>();
  private boolean six;

  private Endpoint own() {
    return near(1, 54325);
  }

  private Endpoint client(int port) {
    return near(10, port);
  }

  private Endpoint near(int host, int port) {
    return six
        ? new Endpoint(NET_OF_CLIENTS, host, port)
        : Endpoint.ofIpv4((CLIENT & ~0xff) + host, port);
  }

  private Endpoint host(int host, int port) {
    return six ? new Endpoint(NET_OF_HOSTS, host, port) : Endpoint.ofIpv4(HOSTS + host, port);
  }

  private Rule[] rules() {
    return new Rule[] {
      Stage.forward(Datagrams.prefix("00004001"), host(7, 6000)),
      Stage.forward(Datagrams.prefix("000040010002"), host(8, 6001)),
      Stage.forward(Datagrams.prefix("5"), host(7, 6002)),
      Stage.forward(ServicePrefix.of(WHOLE), host(8, 6003)),
      Stage.rule(Datagrams.prefix("00004002"), RuleAction.DELAY, Target.NONE)
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"serval-router.txt", "serval-router-v6.txt"})
  void theKernelRoutesAsThisRouterDoes(String name) throws IOException {
    Path file = FILES.resolve(name);
    six = name.contains("v6");
    services();
    lists();
    shapes();
    String text = String.join("\n", lines) + "\n";
    if (Boolean.getBoolean("serval.vectors.write")) {
      Files.writeString(file, text);
    }
    assertEquals(Files.readString(file), text);
  }

  private void services() {
    line("syn", true, Datagrams.syn(Datagrams.SHOP, 2));
    line("longer-prefix", true, Datagrams.syn(LONGER, 3));
    line("short-prefix", true, Datagrams.syn(HALF, 4));
    line("whole-id", true, Datagrams.syn(WHOLE, 5));
    for (int length : new int[] {0, 1, 48, 1000}) {
      byte[] payload = new byte[length];
      Arrays.fill(payload, (byte) 0x5a);
      line("datagram-" + length, true, Datagrams.datagram(Datagrams.SHOP, payload));
    }
    line("unknown", false, Datagrams.syn(UNKNOWN, 2));
    line("held", false, Datagrams.syn(HELD, 2));
  }

  private void lists() {
    Endpoint client = Endpoint.ofIpv4(0x0a010203, 777);
    Endpoint peer = client(PEER_PORT);
    for (int count : new int[] {2, 3, 4, 11, 12}) {
      Endpoint[] way = new Endpoint[count];
      for (int i = 0; i < count; i++) {
        way[i] = Endpoint.ofIpv4(0x0a010300 + i, 100 + i);
      }
      way[0] = client;
      way[count - 1] = peer;
      line("list-" + count, count < 12, PEER_PORT, TTL, Datagrams.syn(Datagrams.SHOP, 2, way));
      ByteBuffer datagram = Datagrams.datagram(Datagrams.SHOP, new byte[30], way);
      line("datagram-list-" + count, count < 12, PEER_PORT, TTL, datagram);
    }
    Endpoint[] six = {new Endpoint(0x20010db8L << 32, 1, 9), peer};
    line("list-of-ipv6", true, PEER_PORT, TTL, Datagrams.syn(Datagrams.SHOP, 2, six));
    Endpoint[] loop = {client, host(7, 6000), peer};
    line("loop", false, PEER_PORT, TTL, Datagrams.syn(Datagrams.SHOP, 2, loop));
    Endpoint own = client(CLIENT_PORT);
    line("list-of-a-stranger", false, Datagrams.syn(Datagrams.SHOP, 2, client, own));
    line("list-of-a-client", false, Datagrams.syn(Datagrams.SHOP, 2, client));
    line("forged-list", false, Datagrams.syn(Datagrams.SHOP, 2, client, peer));
  }

  private void shapes() {
    line("ttl-2", true, CLIENT_PORT, 2, Datagrams.syn(Datagrams.SHOP, 2));
    line("ttl-1", false, CLIENT_PORT, 1, Datagrams.syn(Datagrams.SHOP, 2));
    line("no-flow", false, Datagrams.syn(Datagrams.SHOP, 0));
    line("ack", false, Datagrams.control(2, 0, 0x20));
    line("syn-ack", false, Datagrams.control(2, 0, 0xa0));
    line("asks-for-tickets", false, Datagrams.asking(Datagrams.SHOP, 2, List.of()));
    line("of-a-flow", false, Datagrams.control(2, 3, 0x20));
    SalWriter source = syn();
    SourceList.put(source, CLIENT, 0x0a010203);
    line("source", false, Datagrams.udp(source.finish(), new byte[0]));
    SalWriter capability = syn();
    Capability.put(capability, 1);
    line("capability", false, Datagrams.udp(capability.finish(), new byte[0]));
    SalWriter addresses = syn();
    AddressList.put(addresses, 1, 2, HOSTS + 7);
    line("address", false, Datagrams.udp(addresses.finish(), new byte[0]));
    ByteBuffer wrong = Datagrams.syn(Datagrams.SHOP, 2);
    wrong.put(8, (byte) 2);
    line("header-length", false, wrong);
    ByteBuffer cut = Datagrams.syn(Datagrams.SHOP, 2);
    line("cut", false, cut.limit(40));
  }

  private static SalWriter syn() {
    SalWriter writer =
        new SalWriter().begin(ByteBuffer.allocate(2048), 0, 2048, 2, 0, SalPacket.UDP);
    Control.put(writer, new ControlMessage(2, 0, 0x80, 0, 5, 0, 77));
    Service.put(writer, Datagrams.SHOP);
    return writer;
  }

  private void line(String name, boolean kernel, ByteBuffer packet) {
    line(name, kernel, CLIENT_PORT, TTL, packet);
  }

  private void line(String name, boolean kernel, int port, int ttl, ByteBuffer packet) {
    Sent sent = new Sent(2048);
    Tally<Outcome> tally = new Tally<>(Outcome.class);
    Plan plan =
        new Plan(
            List.of(own()),
            Datagrams.ROUTER,
            List.of(rules()),
            new Plan.Registered(List.of(), 100, Stage.LIFE),
            new RegistrationDesk.Settings(List.of(), Map.of(), 1, 1, 1),
            Set.of(client(PEER_PORT)),
            new TableLimits(100, 10, 8),
            HeldPackets.Limits.DEFAULT,
            true);
    PacketRouter router = new PacketRouter(plan, new Random(1), sent, null, tally, 0);
    Endpoint from = client(port);
    router.take(new Received(packet, 0, packet.limit(), from, Stage.NOBODY, ttl), 0);
    String line = name + (kernel ? " kernel " : " module ") + port + " " + ttl + " " + hex(packet);
    if (sent.packets.isEmpty()) {
      assertEquals(false, kernel, name + ": " + tally.snapshot());
      lines.add(line + " " + String.join(",", tally.snapshot().keySet()));
      return;
    }
    Sent.Packet out = sent.packets.get(0);
    assertEquals(ttl - 1, out.ttl());
    long last = out.to().low() & 0xff;
    String to = six ? "[2001:db8:2::" + last + "]" : "198.51.100." + last;
    lines.add(line + " " + to + ":" + out.to().port() + " " + hex(out.bytes()));
  }

  private static String hex(ByteBuffer packet) {
    byte[] bytes = new byte[packet.limit()];
    packet.get(0, bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
