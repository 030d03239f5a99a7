// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.netserv.host.Ring;
import org.netserv.packet.Relay;
import org.netserv.packet.ServiceRule;
import org.netserv.packet.ServiceRuleEntry;
import org.netserv.packet.ServiceRuleEntry.Kind;

/** Rules of service routers as bundles see them, with a test in the place of pktio and bpfd. */
class BundleRulesTest {
  private static final int SLOTS = 64;
  private static final long FIRST = 0x5100_0000_0000_0000L;

  private final ByteBuffer d =
      ByteBuffer.allocateDirect(Ring.dBytes(SLOTS))
          .order(ByteOrder.LITTLE_ENDIAN)
          .putInt(Ring.D_SLOTS, SLOTS)
          .putInt(Ring.D_RECORD_RELAYS, Ring.RELAYS);
  private final ByteBuffer s =
      ByteBuffer.allocateDirect(Ring.sBytes(SLOTS)).order(ByteOrder.LITTLE_ENDIAN);
  private final BundleRules rules = rules("tc,relay,serval");

  private BundleRules rules(String features) {
    return new BundleRules(new RelayTable(d, s, features, () -> {}));
  }

  private static InetSocketAddress at(int last, int port) {
    try {
      byte[] address = {10, 0, 0, (byte) last};
      return new InetSocketAddress(InetAddress.getByAddress(address), port);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ServiceRuleEntry entry(Kind kind, long first, int bits, int weight) {
    InetSocketAddress target = kind == Kind.MODULE ? null : at(7, 6000);
    return new ServiceRuleEntry(kind, at(1, 54325), first, 0, 0, 0, bits, target, weight);
  }

  /** Returns the last question, as pktio takes it. */
  private ByteBuffer question() {
    long asked = s.getLong(Ring.S_ASKED);
    d.putLong(Ring.D_FORWARDED, asked);
    int at = Ring.sAsks(SLOTS) + (int) ((asked - 1) % Ring.ASKS) * Ring.ASK_SIZE;
    return s.slice(at, Ring.ASK_SIZE).order(ByteOrder.LITTLE_ENDIAN);
  }

  private void answer(ByteBuffer question, int state, int refused) {
    int record = Ring.dRelays(SLOTS) + question.getShort(Ring.ASK_PLACE) * Ring.RECORD_SIZE;
    long answer =
        Integer.toUnsignedLong(question.getInt(Ring.ASK_NUMBER))
            | (long) state << Ring.ANSWER_STATE
            | (long) refused << Ring.ANSWER_REFUSED;
    int rule = question.getShort(Ring.SERVAL_RULE);
    long active = d.getLong(record + Ring.RULES_ACTIVE) & ~(1L << rule);
    d.putLong(record + Ring.RULES_ACTIVE, active | (state == Ring.RELAY_ACTIVE ? 1L << rule : 0));
    int reasons = record + Ring.RULES_REFUSED + rule / 16 * 8;
    int bit = rule % 16 * 4;
    long others = d.getLong(reasons) & ~(15L << bit);
    d.putLong(reasons, others | ((long) refused << bit));
    d.putLong(record + Ring.RELAY_ANSWER, answer);
  }

  @Test
  void aQuestionHasAllOfTheRule() {
    ServiceRule rule = rules.ask(entry(Kind.TARGET, FIRST, 8, 3), 60);
    ByteBuffer ask = question();
    assertEquals(Ring.SERVAL_MAGIC, ask.getInt(0));
    assertEquals(60, ask.getShort(Ring.ASK_SECONDS));
    assertEquals(1, ask.get(Ring.SERVAL_WHAT));
    assertEquals(4, ask.get(Ring.SERVAL_FAMILY));
    assertEquals(8, ask.getShort(Ring.SERVAL_BITS));
    assertEquals(10, ask.get(Ring.SERVAL_ROUTER));
    assertEquals(7, ask.get(Ring.SERVAL_TARGET + 3));
    assertEquals(0x51, ask.get(Ring.SERVAL_ID));
    assertEquals(54325, ask.getShort(Ring.SERVAL_ROUTER_PORT) & 0xffff);
    assertEquals(6000, ask.getShort(Ring.SERVAL_TARGET_PORT));
    assertEquals(3, ask.getShort(Ring.SERVAL_WEIGHT));
    assertEquals(Relay.State.ASKED, rule.state());
    answer(ask, Ring.RELAY_ACTIVE, 0);
    assertEquals(Relay.State.ACTIVE, rule.state());
    rule.refresh(90);
    assertEquals(90, question().getShort(Ring.ASK_SECONDS));
    answer(question(), Ring.RELAY_REFUSED, Ring.SERVAL_REFUSALS.indexOf("prefix"));
    assertEquals("prefix", rule.refusal());
  }

  @Test
  void eachRuleOfAPlaceHasItsOwnAnswer() {
    ServiceRule first = rules.ask(entry(Kind.TARGET, FIRST, 8, 3), 60);
    ByteBuffer firstAsk = copy(question());
    ServiceRule second = rules.ask(entry(Kind.TARGET, FIRST, 9, 3), 60);
    ByteBuffer secondAsk = copy(question());
    assertEquals(firstAsk.getShort(Ring.ASK_PLACE), secondAsk.getShort(Ring.ASK_PLACE));
    assertEquals(1, secondAsk.getShort(Ring.SERVAL_RULE));
    answer(firstAsk, Ring.RELAY_ACTIVE, 0);
    assertEquals(Relay.State.ACTIVE, first.state());
    assertEquals(Relay.State.ASKED, second.state());
    answer(secondAsk, Ring.RELAY_REFUSED, Ring.SERVAL_REFUSALS.indexOf("target"));
    assertEquals(Relay.State.ACTIVE, first.state());
    assertEquals("", first.refusal());
    assertEquals("target", second.refusal());
    ServiceRule third = null;
    for (int i = 2; i < 20; i++) {
      third = rules.ask(entry(Kind.TARGET, FIRST, 8 + i, 3), 60);
    }
    answer(question(), Ring.RELAY_REFUSED, Ring.SERVAL_REFUSALS.indexOf("routers"));
    assertEquals("routers", third.refusal());
    assertEquals("target", second.refusal());
    answer(question(), Ring.RELAY_ENDED, 0);
    assertEquals(Relay.State.ENDED, third.state());
    assertEquals(Relay.State.ACTIVE, first.state());
    second.refresh(60);
    assertEquals(Relay.State.ASKED, second.state());
  }

  private static ByteBuffer copy(ByteBuffer question) {
    byte[] bytes = new byte[Ring.ASK_SIZE];
    question.get(0, bytes);
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Test
  void allPlacesAreUsedAndComeBack() {
    int all = Ring.RELAYS * Ring.PLACE_RULES;
    assertEquals(all, rules.free());
    ServiceRule last = null;
    for (int i = 0; i < all; i++) {
      last = rules.ask(entry(Kind.MODULE, 0, 0, 0), 1);
      question();
    }
    assertNull(rules.ask(entry(Kind.MODULE, 0, 0, 0), 1));
    assertEquals(0, rules.free());
    last.remove();
    question();
    assertEquals(1, rules.free());
    assertEquals(Relay.State.ASKED, rules.ask(entry(Kind.MODULE, 0, 0, 0), 1).state());
    rules.close();
    assertEquals(all, rules.free());
  }

  @Test
  void aRuleIsRemovedOnceAndItsPlaceIsFree() {
    int free = rules.free();
    ServiceRule rule = rules.ask(entry(Kind.MODULE, 0, 0, 0), 1);
    assertEquals(free - 1, rules.free());
    rule.remove();
    rule.remove();
    assertEquals(free, rules.free());
    assertEquals(Ring.SERVAL_REMOVE, question().get(Ring.SERVAL_WHAT));
    assertEquals(0, question().getShort(Ring.ASK_SECONDS));
    assertEquals(Relay.State.ENDED, rule.state());
    assertThrows(IllegalStateException.class, () -> rule.refresh(1));
  }

  @Test
  void allRulesEndWithTheBundle() {
    int free = rules.free();
    for (int i = 0; i < 10; i++) {
      rules.ask(entry(Kind.TARGET, FIRST, 8 + i, 1), 1);
    }
    rules.close();
    assertEquals(free, rules.free());
  }

  @Test
  void anOlderNodeHasNone() {
    BundleRules none = rules("tc,relay");
    assertFalse(none.available());
    assertTrue(none.unavailable().contains("serviceIDs"));
    assertEquals(0, none.free());
    assertNull(none.ask(entry(Kind.MODULE, 0, 0, 0), 1));
  }

  @Test
  void anEntryIsChecked() {
    assertThrows(IllegalArgumentException.class, () -> entry(Kind.TARGET, FIRST, 7, 1));
    assertThrows(IllegalArgumentException.class, () -> entry(Kind.TARGET, FIRST, 257, 1));
    assertThrows(IllegalArgumentException.class, () -> entry(Kind.TARGET, FIRST, 8, 0));
    assertThrows(IllegalArgumentException.class, () -> entry(Kind.MODULE, FIRST, 8, 1));
    assertThrows(IllegalArgumentException.class, () -> entry(Kind.PEER, FIRST, 8, 0));
    assertThrows(IllegalArgumentException.class, () -> rules.ask(entry(Kind.MODULE, 0, 0, 0), 0));
  }
}
