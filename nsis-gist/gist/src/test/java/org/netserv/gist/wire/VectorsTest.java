// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Messages written down by hand from appendix A, field by field. */
class VectorsTest {
  private static final InetAddress V4 = ip("192.0.2.1");
  private static final InetAddress V4_FAR = ip("198.51.100.2");
  private static final InetAddress V6 = ip("2001:db8::1");
  private static final SessionId SESSION = session("000102030405060708090a0b0c0d0e0f");
  private static final SessionId SESSION_D = session("00000000000000000000000000001234");
  private static final SessionId SESSION_L = session("101112131415161718191a1b1c1d1e1f");
  private static final PathCoupledMri UDP_FLOW =
      new PathCoupledMri(V4, 32, V4_FAR, 32, 17, -1, -1, -1, 5060, 5061, false);
  private static final PathCoupledMri FLOW_D =
      new PathCoupledMri(V4, 32, ip("192.0.2.5"), 32, 6, -1, -1, -1, 1234, 80, false);
  private static final NetworkLayerInfo NODE_A =
      new NetworkLayerInfo(64, 30_000, ascii("nodeA"), V4);
  private static final NetworkLayerInfo STRING_1 =
      new NetworkLayerInfo(64, 30_000, ascii("string1"), ip("192.0.2.2"));
  private static final QueryCookie COOKIE = new QueryCookie(hex("0102030405060708"));
  private static final QueryCookie COOKIE_D = new QueryCookie(hex("139471239471923526000000"));
  private static final ResponderCookie RESPONDER_D =
      new ResponderCookie(hex("0acdefedcdfaeeeded000000"));
  private static final StackProposal RESPONDER_STACKS =
      new StackProposal(List.of(List.of(1), List.of(3), List.of(2, 1)));

  @Test
  void query() throws GistFormatException {
    is(
        "query",
        new CommonHeader(10, 32705, MessageType.QUERY, true, false, true, false),
        UDP_FLOW,
        SESSION,
        NODE_A,
        COOKIE);
  }

  @Test
  void queryWithPayload() throws GistFormatException {
    is(
        "query-payload",
        new CommonHeader(32, 32705, MessageType.QUERY, true, true, true, false),
        new PathCoupledMri(
            V6, 128, ip("2001:db8:0:1::2"), 64, 50, 46, 0x12345, 0xdeadbeefL, -1, -1, true),
        session("ffeeddccbbaa99887766554433221100"),
        new NetworkLayerInfo(3, 4_294_967_295L, new byte[0], ip("2001:db8:0:1::9")),
        new QueryCookie(hex("cafe0001")),
        new NslpData(ascii("payload")));
  }

  @Test
  void queryWithStacks() throws GistFormatException {
    is(
        "query-stack",
        new CommonHeader(10, 32706, MessageType.QUERY, true, false, true, false),
        FLOW_D,
        SESSION_D,
        STRING_1,
        COOKIE_D,
        new StackProposal(List.of(List.of(2, 1), List.of(2, 3), List.of(1))),
        new StackConfiguration(300_000, List.of(option(1, 0, false, ""), option(3, 0, false, ""))));
  }

  @Test
  void queryByLooseEnd() throws GistFormatException {
    is(
        "query-loose-end",
        new CommonHeader(1, 32705, MessageType.QUERY, true, true, true, false),
        new LooseEndMri(V4, ip("192.0.2.254"), false),
        SESSION_L,
        new NetworkLayerInfo(255, 1, hex("aabbccdd"), V4),
        new QueryCookie(new byte[4]));
  }

  @Test
  void queryThroughNat() throws GistFormatException {
    is(
        "query-nat",
        new CommonHeader(10, 32705, MessageType.QUERY, true, false, true, false),
        new NatTraversal(
            PathCoupledMri.between(ip("10.0.0.1"), V4_FAR).value(),
            List.of(0, 2, 4),
            List.of(hex("0102030405"))),
        PathCoupledMri.between(ip("203.0.113.1"), V4_FAR),
        SESSION,
        new NetworkLayerInfo(0, 30_000, hex("aabbccdd"), ip("203.0.113.1")),
        new QueryCookie(hex("11223344")));
  }

  @Test
  void response() throws GistFormatException {
    is(
        "response",
        new CommonHeader(10, 32705, MessageType.RESPONSE, false, true, false, false),
        UDP_FLOW.flipped(),
        SESSION,
        new NetworkLayerInfo(2, 60_000, ascii("nodeB"), ip("192.0.2.9")),
        COOKIE,
        new NslpData(hex("61636b00")));
  }

  @Test
  void responseWithStacks() throws GistFormatException {
    is(
        "response-stack",
        new CommonHeader(10, 32706, MessageType.RESPONSE, false, true, true, false),
        FLOW_D.flipped(),
        SESSION_D,
        new NetworkLayerInfo(2, 30_000, ascii("stringr2"), ip("192.0.2.4")),
        COOKIE_D,
        RESPONDER_D,
        RESPONDER_STACKS,
        new StackConfiguration(
            200_000,
            List.of(
                option(1, 3, false, "17eb"),
                option(1, 1, false, "153e"),
                option(3, 0, true, "0d05"))));
  }

  @Test
  void confirm() throws GistFormatException {
    is(
        "confirm",
        new CommonHeader(10, 32705, MessageType.CONFIRM, false, true, false, false),
        UDP_FLOW,
        SESSION,
        NODE_A,
        new ResponderCookie(hex("f1f2f3f4f5f6f7f8")));
  }

  @Test
  void confirmWithStacks() throws GistFormatException {
    is(
        "confirm-stack",
        new CommonHeader(10, 32706, MessageType.CONFIRM, false, true, false, false),
        FLOW_D,
        SESSION_D,
        STRING_1,
        RESPONDER_D,
        RESPONDER_STACKS,
        new StackConfiguration(300_000, List.of()));
  }

  @Test
  void data() throws GistFormatException {
    is(
        "data-datagram",
        new CommonHeader(5, 32705, MessageType.DATA, false, true, false, true),
        UDP_FLOW,
        SESSION,
        NODE_A,
        new NslpData(ascii("Hello World!")));
    is(
        "data-association",
        new CommonHeader(5, 32705, MessageType.DATA, false, true, false, false),
        new PathCoupledMri(V4, 24, V4_FAR, 0, 6, -1, -1, -1, 0, -1, false),
        SESSION,
        new NslpData(new byte[0]));
    is(
        "data-intercepted",
        new CommonHeader(255, 65535, MessageType.DATA, true, false, false, false),
        new LooseEndMri(V6, ip("2001:db8::fe"), false),
        SESSION_L,
        new NetworkLayerInfo(64, 30_000, new byte[0], V6),
        new NslpData(hex("00000007")));
  }

  @Test
  void error() throws GistFormatException {
    is(
        "error",
        new CommonHeader(10, 0, MessageType.ERROR, false, true, false, false),
        new NetworkLayerInfo(64, 30_000, ascii("nodeB"), ip("192.0.2.9")),
        new ErrorObject(
            2,
            9,
            2,
            true,
            true,
            hex("010a00117fc18040"),
            SESSION,
            UDP_FLOW.value(),
            List.of(new ErrorInfo(3, hex("00050000"))),
            "no cookie"));
    is(
        "error-header",
        new CommonHeader(1, 0, MessageType.ERROR, false, true, false, false),
        new ErrorObject(
            2,
            1,
            3,
            false,
            false,
            hex("0105000d7fc10380"),
            null,
            null,
            List.of(ErrorInfo.messageLength(12)),
            ""));
  }

  @Test
  void hello() throws GistFormatException {
    is(
        "hello",
        new CommonHeader(1, 0, MessageType.MA_HELLO, false, true, true, false),
        new HelloId(0x01020304));
  }

  /** Both directions, from an array, a part of one, and a buffer; and no field goes unseen. */
  private static void is(String name, CommonHeader header, GistObject... objects)
      throws GistFormatException {
    byte[] bytes = Vectors.bytes(name);
    GistMessage expected = new GistMessage(header, List.of(objects));
    assertEquals(expected, GistMessage.decode(bytes), name);
    assertEquals(expected.hashCode(), GistMessage.decode(bytes).hashCode(), name);
    assertArrayEquals(bytes, expected.encode(), name);
    assertEquals(expected, GistMessage.decode(ByteBuffer.wrap(bytes)), name);
    byte[] payload = Magic.wrap(bytes);
    assertEquals(expected, GistMessage.decode(payload, Magic.BYTES, payload.length), name);
  }

  private static StackConfiguration.Option option(
      int protocol, int profile, boolean unusable, String data) {
    return new StackConfiguration.Option(protocol, profile, unusable, hex(data));
  }

  private static SessionId session(String digits) {
    return new SessionId(hex(digits));
  }

  private static byte[] hex(String digits) {
    return HexFormat.of().parseHex(digits);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static InetAddress ip(String address) {
    try {
      return InetAddress.getByName(address);
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }
}
