// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ipfilter.IpFilterRuleType;
import io.netty.handler.ipfilter.IpSubnetFilterRule;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.activecdn.core.Rig;
import org.netserv.activecdn.core.Why;

/** Connections of balancers at 10.0.0.0/8, which speak the PROXY protocol. */
@SuppressWarnings("FutureReturnValueIgnored") // embedded channels are done at once
class GateTest {
  private static final int PLACES = 3;
  private static final int SHARE = 2;
  private static final String GET = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n";

  /** Magic octets of version 2 (HAProxy's proxy-protocol.txt, section 2.2). */
  private static final String MAGIC = "0d0a0d0a000d0a515549540a";

  private final Rig rig = new Rig();
  private final Clients clients =
      new Clients(
          rig.edge,
          new ServerSettings(
              10_000,
              60_000,
              30_000,
              PLACES,
              SHARE,
              List.of(new IpSubnetFilterRule("10.0.0.0", 8, IpFilterRuleType.ACCEPT))));

  private EmbeddedChannel connect(String from) {
    SocketAddress peer = new InetSocketAddress(from, 40_000);
    return new EmbeddedChannel(new Gate(clients), new ClientConnection(clients, null)) {
      @Override
      protected SocketAddress remoteAddress0() {
        return peer;
      }
    };
  }

  private EmbeddedChannel balanced() {
    return connect("10.1.2.3");
  }

  private static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static void send(EmbeddedChannel to, byte[] bytes) {
    to.writeInbound(Unpooled.copiedBuffer(bytes));
  }

  /** Asks for /x, which is not stored, and returns X-Forwarded-For as the origin sees it. */
  private String forwardedFor(EmbeddedChannel client) {
    send(client, latin("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"));
    String head = rig.next().head();
    rig.next().answer(204, "");
    return head.replaceAll("(?s).*X-Forwarded-For: ([^\n]*).*", "$1");
  }

  @ParameterizedTest
  @CsvSource({
    "PROXY TCP4 192.0.2.9 203.0.113.1 1234 80, 192.0.2.9",
    "PROXY TCP6 2001:db8::9 2001:db8::1 1234 80, 2001:db8:0:0:0:0:0:9",
    "PROXY UNKNOWN, 10.1.2.3"
  })
  void versionOneNamesTheClient(String line, String client) {
    EmbeddedChannel channel = balanced();
    send(channel, latin(line + "\r\n"));
    assertEquals(client, forwardedFor(channel));
  }

  @ParameterizedTest
  @CsvSource({
    "2111000cc0000209cb00710104d20050, 192.0.2.9",
    "2121002420010db800000000000000000000000920010db800000000000000000000000104d20050,"
        + " 2001:db8:0:0:0:0:0:9",
    "20000000, 10.1.2.3",
    "21110010c0000209cb00710104d20050040001ff, 192.0.2.9"
  })
  void versionTwoNamesTheClient(String header, String client) {
    EmbeddedChannel channel = balanced();
    send(channel, HexFormat.of().parseHex(MAGIC + header));
    assertEquals(client, forwardedFor(channel));
  }

  @Test
  void requestsMayFollowInTheSamePiece() {
    EmbeddedChannel channel = balanced();
    send(channel, latin("PROXY TCP4 192.0.2.9 203.0.113.1 1 80\r\n" + GET));
    rig.next().answer(200, "one");
    assertTrue(channel.outboundMessages().size() > 0);
  }

  @Test
  void everySlicingIsTheSame() {
    byte[] bytes = latin("PROXY TCP4 192.0.2.9 203.0.113.1 1 80\r\n" + GET);
    EmbeddedChannel channel = balanced();
    for (byte each : bytes) {
      send(channel, new byte[] {each});
    }
    rig.next().answer(200, "one");
    assertTrue(channel.isOpen());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        GET,
        "PROXY TCP4 192.0.2.9\r\n",
        "PROXY TCP4 192.0.2.999 203.0.113.1 1 80\r\n",
        "PROXY TCP4 192.0.2.9 203.0.113.1 1 99999\r\n",
        "PROXY TCP9 192.0.2.9 203.0.113.1 1 80\r\n",
        "\026\003\001\002\000\001\000\001\374\003\003\000\000\000\000\000"
      })
  void aBalancerWithoutAHeaderIsClosed(String text) {
    EmbeddedChannel channel = balanced();
    send(channel, latin(text + GET.repeat(8)));
    channel.checkException();
    assertFalse(channel.isOpen());
    assertEquals(1, rig.tally.get(Why.REFUSED_PROXY));
    assertEquals(0, rig.tally.get(Why.ACCEPTED));
    assertEquals(0, clients.count());
    assertTrue(rig.asked.isEmpty());
  }

  @Test
  void aHeaderHasToComeInTime() {
    EmbeddedChannel channel = balanced();
    send(channel, latin("PROXY TCP4 "));
    rig.pass(10_001);
    clients.sweep();
    assertFalse(channel.isOpen());
    assertEquals(1, rig.tally.get(Why.REFUSED_PROXY));
  }

  @Test
  void othersAreClientsThemselves() {
    EmbeddedChannel channel = connect("192.0.2.1");
    send(channel, latin("PROXY TCP4 192.0.2.9 203.0.113.1 1 80\r\n\r\n"));
    assertEquals(1, rig.tally.get(Why.REFUSED_HEAD));
    assertEquals("192.0.2.1", forwardedFor(connect("192.0.2.1")));
  }

  @Test
  void theShareIsTheClients() {
    byte[] one = latin("PROXY TCP4 192.0.2.9 203.0.113.1 1 80\r\n");
    for (int i = 0; i < SHARE; i++) {
      send(balanced(), one);
    }
    EmbeddedChannel late = balanced();
    send(late, latin(new String(one, StandardCharsets.ISO_8859_1) + GET));
    assertFalse(late.isOpen());
    assertEquals(1, rig.tally.get(Why.CONNECTIONS_SHARE));
    EmbeddedChannel other = balanced();
    send(other, latin("PROXY TCP4 192.0.2.10 203.0.113.1 1 80\r\n"));
    assertTrue(other.isOpen());
  }

  @Test
  void connectionsWithoutAHeaderYetHaveTheirPlaces() {
    List<EmbeddedChannel> all = List.of(balanced(), balanced(), balanced());
    assertFalse(balanced().isOpen());
    assertEquals(1, rig.tally.get(Why.CONNECTIONS_FULL));
    all.forEach(EmbeddedChannel::close);
    assertEquals(0, clients.count());
  }

  @Test
  void mutantsOfHeadersThrowNothing() {
    Random random = new Random(7);
    byte[] two = HexFormat.of().parseHex(MAGIC + "21110010c0000209cb00710104d20050040001ff");
    byte[] one = latin("PROXY TCP6 2001:db8::9 2001:db8::1 1234 80\r\n");
    for (int i = 0; i < 10_000; i++) {
      byte[] bytes = (random.nextBoolean() ? one : two).clone();
      for (int change = random.nextInt(4); change >= 0; change--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      EmbeddedChannel channel = balanced();
      send(channel, bytes);
      channel.checkException();
      channel.close();
      for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
        out.release();
      }
      assertEquals(0, clients.count());
    }
  }
}
