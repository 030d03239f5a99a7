// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.stun.ChangeRequest;
import org.netserv.stun.ErrorCode;
import org.netserv.stun.ResponsePort;
import org.netserv.stun.StunAddress;
import org.netserv.stun.StunAttribute;
import org.netserv.stun.StunBytes;
import org.netserv.stun.StunClass;
import org.netserv.stun.StunMessage;
import org.netserv.stun.StunMethod;
import org.netserv.stun.StunWriter;

/** Binding requests of RFC 5780, to each of four corners. */
class DiscoveryTest {
  private static final long FIRST = Stage.RELAY_4;
  private static final long SECOND = Stage.RELAY_4 + 1;
  private static final List<Integer> INSIDE = List.of(3478, 3479, 13478, 13479);
  private static final int MOST = 2000;

  private final Stage stage = new Stage();
  private final Client one = stage.client(1);
  private int fromPort;
  private Client to;

  @BeforeEach
  void open() {
    Discovery.Square square = new Discovery.Square(0, FIRST, 0, SECOND, 3478, 3479, INSIDE);
    stage.server.discovery(new Discovery(List.of(square), Way::new));
  }

  /** A port of the relay. */
  private final class Way implements Client.Way {
    private final int port;

    private Way(int port) {
      this.port = port;
    }

    @Override
    public boolean send(Client client, ByteBuffer bytes, int start, int length) {
      fromPort = port;
      to = client;
      return stage.send(client, bytes, start, length);
    }

    @Override
    public void close(Client client) {
      throw new AssertionError("nobody closes");
    }
  }

  private Client at(int inside) {
    return new Client(Transport.UDP, one.high(), one.low(), one.port(), inside, new Way(inside));
  }

  private StunMessage bind(Client from, Consumer<StunWriter> attributes) {
    ByteBuffer bytes = ByteBuffer.allocate(MOST);
    StunWriter writer =
        new StunWriter().begin(bytes, 0, MOST, StunMethod.BINDING, StunClass.REQUEST, 1, 2);
    attributes.accept(writer);
    return stage.ask(from, bytes.limit(writer.length()));
  }

  private static String address(StunMessage message, StunAttribute type) {
    StunAddress address = new StunAddress();
    assertTrue(address.get(message, type), type.name());
    return (address.low() == FIRST ? "first" : address.low() == SECOND ? "second" : "other")
        + ":"
        + address.port();
  }

  /** RFC 5780, table 1. */
  @ParameterizedTest
  @CsvSource({
    "3478, 0, 3478, first:3478, second:3479",
    "3478, 2, 3479, first:3479, second:3479",
    "3478, 4, 13478, second:3478, second:3479",
    "3478, 6, 13479, second:3479, second:3479",
    "3479, 6, 13478, second:3478, second:3478",
    "13478, 0, 13478, second:3478, first:3479",
    "13478, 4, 3478, first:3478, first:3479",
    "13479, 6, 3478, first:3478, first:3478"
  })
  void theAnswerComesFromTheCornerAskedFor(
      int inside, int flags, int from, String origin, String other) {
    StunMessage answer =
        bind(at(inside), w -> ChangeRequest.put(w, (flags & 4) != 0, (flags & 2) != 0));
    assertEquals(StunClass.SUCCESS, answer.kind());
    assertEquals(from, fromPort);
    assertEquals(one.port(), to.port());
    assertEquals(origin, address(answer, StunAttribute.RESPONSE_ORIGIN));
    assertEquals(other, address(answer, StunAttribute.OTHER_ADDRESS));
    assertEquals("other:" + one.port(), address(answer, StunAttribute.MAPPED_ADDRESS));
    assertEquals("other:" + one.port(), address(answer, StunAttribute.XOR_MAPPED_ADDRESS));
  }

  @Test
  void theAnswerGoesToThePortAskedFor() {
    assertNotNull(bind(at(3478), w -> ResponsePort.put(w, 4711)));
    assertEquals(4711, to.port());
    assertEquals(one.low(), to.low());
    assertEquals(3478, fromPort);
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "100, 100", "1500, 1500", "1800, 1500"})
  void anAnswerHasNoMorePaddingThanItsRequest(int asked, int expected) {
    StunMessage answer =
        bind(at(3478), w -> StunBytes.put(w, StunAttribute.PADDING, new byte[asked]));
    int at = answer.find(StunAttribute.PADDING);
    assertEquals(expected, at < 0 ? 0 : answer.length(at));
  }

  @Test
  void portZeroAndAPortWithPaddingAreRefused() {
    assertEquals(400, ErrorCode.get(bind(at(3478), w -> ResponsePort.put(w, 0))));
    Consumer<StunWriter> both =
        w -> {
          ResponsePort.put(w, 4711);
          StunBytes.put(w, StunAttribute.PADDING, new byte[8]);
        };
    assertEquals(400, ErrorCode.get(bind(at(3478), both)));
    assertEquals(one.port(), to.port());
  }

  @Test
  void whereThereIsNoOtherAddressNobodyIsToldOfOne() {
    StunMessage plain = bind(at(3480), w -> {});
    assertFalse(plain.has(StunAttribute.OTHER_ADDRESS));
    assertFalse(plain.has(StunAttribute.RESPONSE_ORIGIN));
    assertEquals(420, ErrorCode.get(bind(at(3480), w -> ChangeRequest.put(w, true, true))));
    Client stream = new Client(Transport.TCP, 0, one.low(), 1000, 3478, new Way(3478));
    assertEquals(420, ErrorCode.get(bind(stream, w -> ResponsePort.put(w, 5))));
    Client six = new Client(Transport.UDP, Stage.PEER_6_HIGH, 1, 1000, 3478, new Way(3478));
    assertEquals(420, ErrorCode.get(bind(six, w -> ChangeRequest.put(w, true, false))));
  }

  @Test
  void aRequestCutAnywhereIsNoDanger() {
    ByteBuffer bytes = ByteBuffer.allocate(MOST);
    StunWriter writer =
        new StunWriter().begin(bytes, 0, MOST, StunMethod.BINDING, StunClass.REQUEST, 1, 2);
    ChangeRequest.put(writer, true, true);
    StunBytes.put(writer, StunAttribute.PADDING, new byte[40]);
    for (int length = 0; length < writer.length(); length++) {
      assertNull(stage.ask(at(3478), bytes.duplicate().limit(length)), "length " + length);
    }
    assertNotNull(stage.ask(at(3478), bytes.limit(writer.length())));
  }

  @Test
  void fourPortsInsideAreDifferent() {
    List<Integer> same = List.of(3478, 3479, 3478, 3479);
    assertThrows(
        IllegalArgumentException.class,
        () -> new Discovery.Square(0, FIRST, 0, SECOND, 3478, 3479, same));
  }
}
