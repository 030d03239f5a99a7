// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.netserv.gist.wire.CommonHeader;
import org.netserv.gist.wire.Encapsulation;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.Magic;
import org.netserv.gist.wire.MessageType;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.PathCoupledMri;
import org.netserv.gist.wire.QueryCookie;
import org.netserv.gist.wire.ResponderCookie;
import org.netserv.gist.wire.SessionId;

/** Decodes the messages of the load with GIST's own decoder. */
final class HandshakeBytesTest {
  private static final int LAST = 200_000;
  private static final byte[] NODE_COOKIE =
      "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private final ByteBuffer buffer = ByteBuffer.allocateDirect(2048);
  private final HandshakeBytes bytes =
      new HandshakeBytes(
          address("192.0.2.10"), address("198.51.100.10"), 30_000, 32, new byte[16], 7);

  private static Inet4Address address(String text) {
    try {
      return (Inet4Address) InetAddress.getByName(text);
    } catch (java.io.IOException e) {
      throw new AssertionError(e);
    }
  }

  private GistMessage read(Encapsulation came) throws Exception {
    byte[] payload = new byte[buffer.remaining()];
    buffer.get(payload);
    return GistMessage.decode(Magic.strip(payload).orElseThrow(), came);
  }

  private GistMessage query(int session, int exchange) throws Exception {
    bytes.query(buffer, session, exchange);
    return read(Encapsulation.ofDatagram(true));
  }

  /** Puts a node's Response to a Query into the buffer. */
  private void answer(GistMessage query, boolean asksConfirm) {
    CommonHeader header =
        new CommonHeader(
            64, query.header().nslpId(), MessageType.RESPONSE, false, true, asksConfirm, false);
    NetworkLayerInfo node = new NetworkLayerInfo(64, 41_000, new byte[16], address("192.0.2.1"));
    PathCoupledMri back = query.find(PathCoupledMri.class).orElseThrow().flipped();
    SessionId session = query.find(SessionId.class).orElseThrow();
    QueryCookie echo = query.find(QueryCookie.class).orElseThrow();
    GistMessage response =
        new GistMessage(
            header,
            asksConfirm
                ? List.of(back, session, node, echo, new ResponderCookie(NODE_COOKIE))
                : List.of(back, session, node, echo));
    buffer.clear().put(Magic.wrap(response.encode())).flip();
  }

  @Test
  void queriesAreReadAndDiffer() throws Exception {
    Set<Object> flows = new HashSet<>();
    Set<Object> sessions = new HashSet<>();
    Set<Object> cookies = new HashSet<>();
    int[] numbers = {0, 1, 65_534, 65_535, LAST};
    for (int number : numbers) {
      GistMessage query = query(number, 1);
      assertEquals(MessageType.QUERY, query.type());
      assertTrue(query.header().reply() && query.header().sourceAddress());
      flows.add(query.find(PathCoupledMri.class).orElseThrow());
      sessions.add(query.find(SessionId.class).orElseThrow());
      cookies.add(query.find(QueryCookie.class).orElseThrow());
    }
    assertEquals(numbers.length, flows.size());
    assertEquals(numbers.length, sessions.size());
    assertEquals(numbers.length, cookies.size());
    assertNotEquals(query(3, 1).find(QueryCookie.class), query(3, 2).find(QueryCookie.class));
  }

  @Test
  void aResponseIsReadAndConfirmed() throws Exception {
    GistMessage query = query(LAST, 3);
    answer(query, true);
    HandshakeBytes.Answer answer = new HandshakeBytes.Answer();
    assertTrue(bytes.read(buffer, answer));
    assertEquals(LAST, answer.session());
    assertEquals(41_000, answer.validity());
    assertTrue(answer.asksConfirm());
    assertTrue(bytes.ours(answer, 3));
    assertFalse(bytes.ours(answer, 2));
    ByteBuffer out = ByteBuffer.allocateDirect(2048);
    bytes.confirm(out, LAST, answer);
    byte[] payload = new byte[out.remaining()];
    out.get(payload);
    GistMessage confirm =
        GistMessage.decode(Magic.strip(payload).orElseThrow(), Encapsulation.ofDatagram(false));
    assertEquals(MessageType.CONFIRM, confirm.type());
    assertEquals(query.find(PathCoupledMri.class), confirm.find(PathCoupledMri.class));
    assertEquals(query.find(SessionId.class), confirm.find(SessionId.class));
    assertArrayEquals(NODE_COOKIE, confirm.find(ResponderCookie.class).orElseThrow().bytes());
  }

  @Test
  void aRefreshAsksForNothing() throws Exception {
    answer(query(5, 1), false);
    HandshakeBytes.Answer answer = new HandshakeBytes.Answer();
    assertTrue(bytes.read(buffer, answer));
    assertFalse(answer.asksConfirm());
  }

  @Test
  void whatIsCutIsNotRead() throws Exception {
    answer(query(5, 1), true);
    HandshakeBytes.Answer answer = new HandshakeBytes.Answer();
    int whole = buffer.limit();
    for (int length = 0; length < whole; length++) {
      buffer.limit(length);
      assertFalse(bytes.read(buffer, answer), "length " + length);
    }
  }
}
