// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Reads messages of another implementation field by field, and writes the same bytes again. */
class CapturedTest {
  private static final Map<Integer, String> NAMES =
      Map.of(
          0,
          "MRI",
          1,
          "SID",
          2,
          "NLI",
          3,
          "StackProposal",
          4,
          "SCD",
          5,
          "QueryCookie",
          6,
          "ResponderCookie",
          8,
          "NSLPData",
          10,
          "HelloID");

  private final List<Vectors.Captured> rows = Vectors.captured();

  @Test
  void allRowsAreReadAndWrittenTheSame() throws GistFormatException {
    assertEquals(28, rows.size());
    for (Vectors.Captured row : rows) {
      GistMessage message = GistMessage.decode(row.bytes(), came(row));
      assertEquals(row.message(), name(message.type()));
      assertEquals(
          row.objects(),
          message.objects().stream()
              .map(object -> NAMES.get(object.type()))
              .collect(Collectors.joining("+")));
      assertArrayEquals(row.bytes(), message.encode());
    }
  }

  @Test
  void fieldsThatAreTheSameInAllRows() throws GistFormatException, UnknownHostException {
    InetAddress querier = InetAddress.getByName("10.9.1.1");
    InetAddress responder = InetAddress.getByName("10.9.2.1");
    for (Vectors.Captured row : rows) {
      GistMessage message = GistMessage.decode(row.bytes());
      CommonHeader header = message.header();
      boolean query = message.type() == MessageType.QUERY;
      boolean response = message.type() == MessageType.RESPONSE;
      boolean hello = message.type() == MessageType.MA_HELLO;
      assertEquals(query ? 32 : 1, header.hops());
      assertEquals(hello ? 0 : 32704, header.nslpId());
      assertEquals(query, header.explicit());
      assertTrue(header.sourceAddress());
      assertEquals(query || response, header.reply());
      assertFalse(header.routed());
      assertEquals(row.bytes().length, CommonHeader.peek(row.bytes()).orElseThrow().totalBytes());
      if (!hello) {
        PathCoupledMri mri = PathCoupledMri.between(querier, responder);
        assertEquals(response ? mri.flipped() : mri, message.find(Mri.class).orElseThrow());
      }
      message
          .find(NetworkLayerInfo.class)
          .ifPresent(
              nli ->
                  assertEquals(
                      new NetworkLayerInfo(
                          response ? 0 : 64,
                          30_000,
                          hex(
                              response
                                  ? "4a66d43219d2cdc8f772fa5986fe90c1"
                                  : "2174ee82054a6dbf6fe1d7c289c249a0"),
                          response ? responder : querier),
                      nli));
    }
  }

  @Test
  void stacksAndCookiesOfAHandshake() throws GistFormatException {
    GistMessage query = message(4);
    assertEquals(
        new StackProposal(List.of(List.of(1), List.of(2, 1))),
        query.find(StackProposal.class).orElseThrow());
    assertEquals(
        new StackConfiguration(6000, List.of(option(1, 1, ""), option(1, 2, ""))),
        query.find(StackConfiguration.class).orElseThrow());
    assertEquals(new QueryCookie(hex("c89accb5")), query.find(QueryCookie.class).orElseThrow());
    assertEquals(
        new SessionId(hex("0a0b0c0d112233445566778899aabbcc")),
        query.find(SessionId.class).orElseThrow());

    GistMessage response = message(5);
    assertEquals(
        query.find(QueryCookie.class).orElseThrow(),
        response.find(QueryCookie.class).orElseThrow());
    assertEquals(
        new ResponderCookie(hex("087f183100020000b28b63e88619cbf12ed260d8e60ff1bf42263724")),
        response.find(ResponderCookie.class).orElseThrow());
    assertEquals(
        new StackConfiguration(6000, List.of(option(1, 1, "7530"), option(1, 2, "7531"))),
        response.find(StackConfiguration.class).orElseThrow());
    assertEquals(
        new StackConfiguration(6000, List.of()),
        message(6).find(StackConfiguration.class).orElseThrow());
  }

  private GistMessage message(int row) throws GistFormatException {
    return GistMessage.decode(rows.get(row).bytes());
  }

  private static StackConfiguration.Option option(int protocol, int profile, String data) {
    return new StackConfiguration.Option(protocol, profile, false, hex(data));
  }

  private static byte[] hex(String digits) {
    return HexFormat.of().parseHex(digits);
  }

  private static String name(MessageType type) {
    return type == MessageType.MA_HELLO
        ? "MA-Hello"
        : type.name().charAt(0) + type.name().substring(1).toLowerCase(Locale.ROOT);
  }

  private static Encapsulation came(Vectors.Captured row) {
    return row.via().equals("TCP") ? Encapsulation.C_MODE : Encapsulation.D_MODE;
  }
}
