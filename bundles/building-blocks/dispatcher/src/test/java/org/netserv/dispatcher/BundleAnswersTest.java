// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.host.Ring;
import org.netserv.packet.Answer;
import org.netserv.packet.AnswerTemplate;
import org.netserv.packet.AnswerTemplate.Field;
import org.netserv.packet.AnswerTemplate.Kind;
import org.netserv.packet.AnswerTemplate.Pair;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.Packets;
import org.netserv.packet.PktProcessor;
import org.netserv.packet.Relay;

/** Answers by template as modules see them, with a test in the place of pktio and bpfd. */
class BundleAnswersTest {
  private static final int SLOTS = 64;
  private static final PacketFilter UDP =
      PacketFilter.of(4, Packet.UDP, null, "192.0.2.0/24", null, null, 0, false);

  private final ByteBuffer d =
      ByteBuffer.allocateDirect(Ring.dBytes(SLOTS))
          .order(ByteOrder.LITTLE_ENDIAN)
          .putInt(Ring.D_SLOTS, SLOTS)
          .putInt(Ring.D_RECORD_RELAYS, Ring.RELAYS);
  private final ByteBuffer s =
      ByteBuffer.allocateDirect(Ring.sBytes(SLOTS)).order(ByteOrder.LITTLE_ENDIAN);
  private final RelayTable table = new RelayTable(d, s, "tc,answer", () -> {});
  private final BundleAnswers answers = new BundleAnswers(table);
  private final LoopFixture f = new LoopFixture();

  private static byte[] bytes(int count, char first) {
    byte[] bytes = new byte[count];
    for (int i = 0; i < count; i++) {
      bytes[i] = (byte) (first + i % 20);
    }
    return bytes;
  }

  private static Pair pair(int family) {
    return family == 4
        ? new Pair(4, 0, 0xffff_c000_020aL, 0, 0xffff_cb00_7105L, 4000, 5060)
        : new Pair(6, 0x20010db8_00010000L, 10, 0x20010db8_00050000L, 5, 4000, 5060);
  }

  private static AnswerTemplate template(int family) {
    return new AnswerTemplate(
        pair(family),
        bytes(200, 'a'),
        bytes(300, 'A'),
        List.of(new Field(10, 20, 4, Kind.TEXT, true), new Field(199, 299, 1, Kind.DIGITS, false)),
        100);
  }

  private List<ByteBuffer> take() {
    List<ByteBuffer> taken = new ArrayList<>();
    long forwarded = d.getLong(Ring.D_FORWARDED);
    for (; forwarded < s.getLong(Ring.S_ASKED); forwarded++) {
      taken.add(
          s.slice(Ring.sAsks(SLOTS) + (int) (forwarded % Ring.ASKS) * Ring.ASK_SIZE, Ring.ASK_SIZE)
              .order(ByteOrder.LITTLE_ENDIAN));
      assertEquals(Ring.TEMPLATE_MAGIC, taken.get(taken.size() - 1).getInt(0));
    }
    d.putLong(Ring.D_FORWARDED, forwarded);
    return taken;
  }

  /** Puts the pieces of an entry together, as bpfd does. */
  private static ByteBuffer entry(List<ByteBuffer> pieces) {
    int length = pieces.get(0).getShort(Ring.TEMPLATE_LENGTH);
    ByteBuffer entry = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    for (ByteBuffer piece : pieces) {
      assertEquals(Ring.TEMPLATE_PUT, piece.get(Ring.TEMPLATE_WHAT));
      assertEquals(entry.position(), piece.getShort(Ring.TEMPLATE_AT));
      assertEquals(length, piece.getShort(Ring.TEMPLATE_LENGTH));
      assertEquals(pieces.get(0).getInt(Ring.ASK_NUMBER), piece.getInt(Ring.ASK_NUMBER));
      int count = Math.min(Ring.TEMPLATE_PIECE, entry.remaining());
      entry.put(piece.slice(Ring.TEMPLATE_BYTES, count));
      for (int at = Ring.TEMPLATE_BYTES + count; at < Ring.ASK_SIZE; at++) {
        assertEquals(0, piece.get(at));
      }
    }
    assertEquals(0, entry.remaining());
    return entry;
  }

  private void answer(ByteBuffer ask, int state, int refused) {
    d.putLong(
        Ring.dRelays(SLOTS) + ask.getShort(Ring.ASK_PLACE) * Ring.RECORD_SIZE,
        (ask.getInt(Ring.ASK_NUMBER) & 0xffffffffL)
            | (long) state << Ring.ANSWER_STATE
            | (long) refused << Ring.ANSWER_REFUSED);
  }

  @Test
  void thePiecesHaveTheWholeEntry() {
    for (int family : new int[] {4, 6}) {
      ((AskedAnswer) answers.make(template(family))).ask(19, 65535);
      ByteBuffer entry = entry(take());
      assertEquals(Ring.ENTRY_SIZE + 500, entry.capacity());
      assertEquals(family, entry.get(Ring.ENTRY_FAMILY));
      assertEquals(2, entry.get(Ring.ENTRY_FIELDS));
      assertEquals((short) 65535, entry.getShort(Ring.ENTRY_SECONDS));
      assertEquals(19, entry.getInt(Ring.ENTRY_BUDGET));
      byte[] address = new byte[16];
      entry.get(Ring.ENTRY_SOURCE, address);
      byte[] v4 = {(byte) 192, 0, 2, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
      byte[] v6 = {0x20, 1, 0x0d, (byte) 0xb8, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10};
      assertArrayEquals(family == 4 ? v4 : v6, address);
      entry.get(Ring.ENTRY_DESTINATION, address);
      assertEquals(5, address[family == 4 ? 3 : 15]);
      assertEquals(4000, entry.getShort(Ring.ENTRY_SOURCE_PORT));
      assertEquals(5060, entry.getShort(Ring.ENTRY_DESTINATION_PORT));
      assertEquals(200, entry.getShort(Ring.ENTRY_MESSAGE));
      assertEquals(300, entry.getShort(Ring.ENTRY_REPLY));
      assertEquals(100, entry.getShort(Ring.ENTRY_TAG));
      assertEquals(10, entry.getShort(Ring.ENTRY_FIELD + Ring.FIELD_FROM));
      assertEquals(20, entry.getShort(Ring.ENTRY_FIELD + Ring.FIELD_TO));
      assertEquals(4, entry.get(Ring.ENTRY_FIELD + Ring.FIELD_LENGTH));
      assertEquals(
          Ring.FIELD_TEXT | Ring.FIELD_HASHED, entry.get(Ring.ENTRY_FIELD + Ring.FIELD_KIND));
      assertEquals(
          Ring.FIELD_DIGITS, entry.get(Ring.ENTRY_FIELD + Ring.FIELD_SIZE + Ring.FIELD_KIND));
      assertEquals('a', entry.get(Ring.ENTRY_SIZE));
      assertEquals('A', entry.get(Ring.ENTRY_SIZE + 200));
    }
  }

  @Test
  void anAnswerThatTheKernelHasIsArmedAndOneThatHasEndedIsPutAgain() {
    AskedAnswer answer = (AskedAnswer) answers.make(template(4));
    assertEquals(Relay.State.ASKED, answer.state());
    answer.ask(3, 60);
    List<ByteBuffer> pieces = take();
    assertEquals(Relay.State.ASKED, answer.state());
    answer(pieces.get(0), Ring.RELAY_ACTIVE, 0);
    assertEquals(Relay.State.ACTIVE, answer.state());
    answer.ask(5, 70);
    List<ByteBuffer> arm = take();
    assertEquals(1, arm.size());
    assertEquals(Ring.TEMPLATE_ARM, arm.get(0).get(Ring.TEMPLATE_WHAT));
    assertEquals(5, arm.get(0).getInt(Ring.TEMPLATE_BYTES));
    assertEquals(70, arm.get(0).getShort(Ring.TEMPLATE_BYTES + 4));
    answer(arm.get(0), Ring.RELAY_REFUSED, Ring.TEMPLATE_REFUSALS.indexOf("gone"));
    assertEquals("gone", answer.refusal());
    answer.ask(5, 70);
    assertEquals(pieces.size(), take().size());
    answer.withdraw();
    answer.withdraw();
    assertEquals(Ring.TEMPLATE_WITHDRAW, take().get(0).get(Ring.TEMPLATE_WHAT));
    assertEquals(Relay.State.ENDED, answer.state());
    answer.ask(5, 70); // too late
    assertEquals(0, take().size());
    assertEquals(Ring.RELAYS, answers.free());
  }

  @Test
  void theRecordHasTheNumbers() {
    AskedAnswer answer = (AskedAnswer) answers.make(template(4));
    answer.ask(0, 60);
    ByteBuffer ask = take().get(0);
    int record = Ring.dRelays(SLOTS) + ask.getShort(Ring.ASK_PLACE) * Ring.RECORD_SIZE;
    d.putLong(record + Ring.RELAY_TO_PEER + Ring.WAY_PACKETS, 7)
        .putLong(record + Ring.RELAY_TO_PEER + Ring.WAY_BYTES, 700)
        .putLong(record + Ring.RELAY_TO_PEER + Ring.WAY_LAST_USEC, 70)
        .putLong(record + Ring.RELAY_TO_CLIENT + Ring.WAY_PACKETS, 2);
    assertEquals(0, answer.packets()); // of a former user of the place
    answer(ask, Ring.RELAY_ACTIVE, 0);
    assertEquals(7, answer.packets());
    assertEquals(700, answer.bytes());
    assertEquals(70, answer.lastMicros());
    assertEquals(2, answer.longWayPackets());
  }

  @Test
  void answersEndWithTheirBundle() {
    ((AskedAnswer) answers.make(template(4))).ask(0, 60);
    answers.make(template(6));
    take();
    answers.close();
    assertEquals(1, take().size()); // the kernel never heard of the other
    assertEquals(Ring.RELAYS, answers.free());
  }

  @Test
  void theReasonIsSaidWhereThereAreNone() {
    assertTrue(answers.available());
    for (String features : new String[] {null, "", "tc,relay"}) {
      BundleAnswers none = new BundleAnswers(new RelayTable(d, s, features, () -> {}));
      assertFalse(none.available());
      assertTrue(none.unavailable().contains("fast path"), none.unavailable());
      assertNull(none.make(template(4)));
    }
    assertFalse(new BundleRelays(table).available()); // each has its own feature
  }

  // ---- from a module's decision

  private static Packet udp() {
    return Packets.udp4("198.51.100.7", 4000, "192.0.2.1", 5060, new byte[40]);
  }

  private static PktProcessor answering(Answer answer) {
    return (packet, decision) -> {
      packet.setTtl(9);
      return decision.changed().answerNext(answer, 19, 60);
    };
  }

  private void assertAsked(int pieces, long agreed, long notAgreed) {
    assertEquals(pieces, take().size());
    assertEquals(agreed, f.loop.agreement.agreed.get());
    assertEquals(notAgreed, f.loop.agreement.notAgreed.get());
  }

  @Test
  void oneModuleDecidesForItself() {
    f.add("a", answering(answers.make(template(4))), UDP);
    assertEquals(Ring.CHANGED, f.push(udp())); // the packet itself has no wish
    assertAsked(8, 1, 0);
    f.pushSample(udp());
    assertAsked(0, 1, 0);
  }

  @Test
  void aModuleThatSeesTheFlowKeepsIt() {
    f.add("a", answering(answers.make(template(4))), UDP);
    Module silent = f.add("b", (packet, decision) -> decision.pass(), UDP);
    assertEquals(Ring.CHANGED, f.push(udp()));
    assertAsked(0, 0, 1);
    silent.remove();
    f.add("c", (packet, decision) -> decision.pass().offload(5), UDP);
    assertEquals(Ring.CHANGED, f.push(udp()));
    assertAsked(8, 1, 1);
    f.add("d", answering(answers.make(template(6))), UDP); // two answers to one packet
    f.push(udp());
    assertAsked(0, 1, 2);
  }

  @Test
  void aModuleThatThrowsAsksForNothing() {
    f.add(
        "a",
        (packet, decision) -> {
          answering(answers.make(template(4))).process(packet, decision);
          throw new IllegalStateException();
        },
        UDP);
    assertEquals(Ring.PASS, f.push(udp()));
    assertEquals(0, take().size());
  }

  @Test
  void whatIsOutOfRangeIsRefusedByName() {
    Decision decision = Packets.decision(udp());
    assertThrows(IllegalArgumentException.class, () -> decision.answerNext(null, -1, 1));
    assertThrows(IllegalArgumentException.class, () -> decision.answerNext(null, 0, 0));
    assertThrows(IllegalArgumentException.class, () -> decision.answerNext(null, 0, 65536));
    refused("reply", new byte[100], new byte[201], List.of(), AnswerTemplate.NO_TAG);
    refused("reply", new byte[300], new byte[493], List.of(), AnswerTemplate.NO_TAG);
    refused("message", new byte[513], new byte[1], List.of(), AnswerTemplate.NO_TAG);
    refused("message", new byte[0], new byte[0], List.of(), AnswerTemplate.NO_TAG);
    refused("from", field(95, 0, 6, false), AnswerTemplate.NO_TAG);
    refused("to", field(0, 95, 6, false), AnswerTemplate.NO_TAG);
    refused("length", field(0, 0, 65, false), AnswerTemplate.NO_TAG);
    refused("length", field(0, 0, 0, false), AnswerTemplate.NO_TAG);
    refused("tag", field(0, 0, 2, true), AnswerTemplate.NO_TAG);
    refused("tag", field(0, 0, 2, true), 1);
    refused("tag", field(0, 0, 2, true), 85);
  }

  private static List<Field> field(int from, int to, int length, boolean hashed) {
    return List.of(new Field(from, to, length, Kind.TEXT, hashed));
  }

  private static void refused(String name, List<Field> fields, int tag) {
    refused(name, bytes(100, 'a'), bytes(100, 'a'), fields, tag);
  }

  private static void refused(
      String name, byte[] message, byte[] reply, List<Field> fields, int tag) {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> new AnswerTemplate(pair(4), message, reply, fields, tag));
    assertEquals(name, e.getMessage());
  }
}
