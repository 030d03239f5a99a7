// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.netserv.host.Ring;
import org.netserv.packet.AnswerTemplate;
import org.netserv.packet.RelayEntry;
import org.netserv.packet.ServiceRuleEntry;

/**
 * The relays, service rules and answers of this container, in the ring: places for them, questions
 * to bpfd behind the slots, and bpfd's answers in the records. The rules are in {@code ns_ring.h}.
 * Any thread may call.
 *
 * <p>pktio takes questions within a millisecond. While it is away they wait here, in order.
 */
final class RelayTable {
  /** Feature of a node that relays in the kernel, in {@link FlowRecords#FEATURES}. */
  static final String FEATURE = "relay";

  /** Feature of a node whose kernel takes rules of service routers. */
  static final String RULES_FEATURE = "serval";

  /** Feature of a node whose kernel answers by templates. */
  static final String ANSWERS_FEATURE = "answer";

  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int IPV4 = 4;
  private static final int REASON_BITS = 4;
  private static final int REASON_MASK = 15;

  private final ByteBuffer descriptors;
  private final ByteBuffer slots;
  private final Runnable wake;
  private final int records;
  private final int asks;
  private final String unavailable;
  private final String rulesUnavailable;
  private final String answersUnavailable;

  /** The place that was freed first is used first. */
  private final Queue<Integer> free = new ArrayDeque<>();

  private final RulePlaces rules = new RulePlaces(this);

  private final Queue<ByteBuffer> waiting = new ArrayDeque<>();
  private long asked;
  private int number;

  /**
   * @param descriptors region D, little-endian; null = this container has no packets
   * @param slots region S, little-endian
   * @param features as {@link FlowRecords#FEATURES}
   * @param wake makes the packet thread tell pktio
   */
  RelayTable(ByteBuffer descriptors, ByteBuffer slots, String features, Runnable wake) {
    this.descriptors = descriptors;
    this.slots = slots;
    this.wake = wake;
    String none = reason(descriptors, slots, features);
    this.unavailable =
        none.isEmpty() && !has(features, FEATURE) ? "the node's fast path has no relays" : none;
    this.answersUnavailable =
        none.isEmpty() && !has(features, ANSWERS_FEATURE)
            ? "the node's fast path answers nothing"
            : none;
    this.rulesUnavailable =
        unavailable.isEmpty() && !has(features, RULES_FEATURE)
            ? "the node's fast path knows no serviceIDs"
            : unavailable;
    int n = none.isEmpty() ? descriptors.getInt(Ring.D_SLOTS) : 0;
    this.records = Ring.dRelays(n);
    this.asks = Ring.sAsks(n);
    if (none.isEmpty()) {
      asked = (long) LONG.getAcquire(slots, Ring.S_ASKED);
      for (int place = 0; place < Ring.RELAYS; place++) {
        free.add(place);
      }
    }
  }

  private static String reason(ByteBuffer descriptors, ByteBuffer slots, String features) {
    if (descriptors == null) {
      return "the container has no packets";
    }
    int n = descriptors.getInt(Ring.D_SLOTS);
    if (descriptors.getInt(Ring.D_RECORD_RELAYS) != Ring.RELAYS
        || descriptors.capacity() < Ring.dBytes(n)
        || slots.capacity() < Ring.sBytes(n)) {
      return "the ring has no relays";
    }
    if (features == null || features.isEmpty()) {
      return "the node has no fast path";
    }
    return "";
  }

  private static boolean has(String features, String feature) {
    return List.of(features.split(",", -1)).contains(feature);
  }

  /** Returns the reason why there are no relays; empty if there are. */
  String unavailable() {
    return unavailable;
  }

  /** Returns the reason why the kernel takes no rules of service routers; empty if it does. */
  String rulesUnavailable() {
    return rulesUnavailable;
  }

  /** Returns the reason why the kernel takes no answers by template; empty if it does. */
  String answersUnavailable() {
    return answersUnavailable;
  }

  synchronized int free() {
    return free.size();
  }

  /** Returns a place, or -1 if there is none. */
  synchronized int take() {
    Integer place = free.poll();
    return place == null ? -1 : place;
  }

  /** Gives a place back. */
  synchronized void give(int place) {
    free.add(place);
  }

  /** Returns how many rules have room. */
  synchronized int freeRules() {
    return rules.free();
  }

  /** Returns the number of a rule by {@link RulePlaces}, or -1 if there is no room. */
  synchronized int takeRule() {
    return rules.take();
  }

  /**
   * Asks bpfd.
   *
   * @param what {@link Ring#ASK_BIND} or {@link Ring#ASK_REFRESH}
   * @return the number of the question
   */
  synchronized int ask(int what, int place, RelayEntry entry, int seconds) {
    ByteBuffer ask = question(Ring.ASK_MAGIC, what, place);
    ask.putShort(Ring.ASK_SECONDS, (short) seconds);
    ask.put(Ring.ASK_CLIENT, family(entry.client())).put(Ring.ASK_PEER, family(entry.peer()));
    put(ask, Ring.ASK_CLIENT_ADDRESS, Ring.ASK_CLIENT_PORT, entry.client());
    put(ask, Ring.ASK_SERVER_ADDRESS, Ring.ASK_SERVER_PORT, entry.server());
    put(ask, Ring.ASK_RELAYED_ADDRESS, Ring.ASK_RELAYED_PORT, entry.relayed());
    put(ask, Ring.ASK_PEER_ADDRESS, Ring.ASK_PEER_PORT, entry.peer());
    ask.putShort(Ring.ASK_CHANNEL, (short) entry.channel());
    send(ask);
    return number;
  }

  /** Takes a relay out of the kernel and gives its place back. */
  synchronized void unbind(int place) {
    send(question(Ring.ASK_MAGIC, Ring.ASK_UNBIND, place));
    free.add(place);
  }

  /**
   * Asks bpfd for a rule of a service router.
   *
   * @param rule its number
   * @return the number of the question
   */
  synchronized int ask(int rule, ServiceRuleEntry entry, int seconds) {
    ByteBuffer ask = ruleQuestion(entry.kind().number(), rule);
    ask.putShort(Ring.ASK_SECONDS, (short) seconds);
    ask.put(Ring.SERVAL_FAMILY, family(entry.router()));
    ask.putShort(Ring.SERVAL_BITS, (short) entry.bits());
    put(ask, Ring.SERVAL_ROUTER, Ring.SERVAL_ROUTER_PORT, entry.router());
    if (entry.target() != null) {
      put(ask, Ring.SERVAL_TARGET, Ring.SERVAL_TARGET_PORT, entry.target());
    }
    ask.putShort(Ring.SERVAL_WEIGHT, (short) entry.weight());
    ask.order(ByteOrder.BIG_ENDIAN)
        .putLong(Ring.SERVAL_ID, entry.first())
        .putLong(Ring.SERVAL_ID + 8, entry.second())
        .putLong(Ring.SERVAL_ID + 16, entry.third())
        .putLong(Ring.SERVAL_ID + 24, entry.fourth());
    send(ask);
    return number;
  }

  /** Takes a rule out of the kernel and gives its room back. */
  synchronized void removeRule(int rule) {
    send(ruleQuestion(Ring.SERVAL_REMOVE, rule));
    rules.give(rule);
  }

  private ByteBuffer ruleQuestion(int what, int rule) {
    return question(Ring.SERVAL_MAGIC, what, RulePlaces.place(rule))
        .putShort(Ring.SERVAL_RULE, (short) RulePlaces.rule(rule));
  }

  /** Gives bpfd a template, in pieces. Returns the number of the question. */
  synchronized int put(int place, AnswerTemplate template, int budget, int seconds) {
    ByteBuffer entry = AnswerEntry.of(template, budget, seconds);
    int length = entry.remaining();
    number++;
    for (int at = 0; at < length; at += Ring.TEMPLATE_PIECE) {
      int count = Math.min(Ring.TEMPLATE_PIECE, length - at);
      waiting.add(
          template(Ring.TEMPLATE_PUT, place)
              .putShort(Ring.TEMPLATE_AT, (short) at)
              .putShort(Ring.TEMPLATE_LENGTH, (short) length)
              .put(Ring.TEMPLATE_BYTES, entry, at, count));
    }
    flush();
    return number;
  }

  /** Lets a template that bpfd has begin anew. Returns the number of the question. */
  synchronized int arm(int place, int budget, int seconds) {
    number++;
    send(
        template(Ring.TEMPLATE_ARM, place)
            .putInt(Ring.TEMPLATE_BYTES, budget)
            .putShort(Ring.TEMPLATE_BYTES + Integer.BYTES, (short) seconds));
    return number;
  }

  /**
   * Takes a template out of the kernel and gives its place back.
   *
   * @param known false if bpfd was never asked
   */
  synchronized void withdraw(int place, boolean known) {
    if (known) {
      number++;
      send(template(Ring.TEMPLATE_WITHDRAW, place));
    }
    free.add(place);
  }

  private ByteBuffer template(int what, int place) {
    return ByteBuffer.allocate(Ring.ASK_SIZE)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(0, Ring.TEMPLATE_MAGIC)
        .putInt(Ring.ASK_NUMBER, number)
        .putShort(Ring.ASK_PLACE, (short) place)
        .put(Ring.TEMPLATE_WHAT, (byte) what);
  }

  private ByteBuffer question(int magic, int what, int place) {
    number++;
    return ByteBuffer.allocate(Ring.ASK_SIZE)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(0, magic)
        .putInt(Ring.ASK_NUMBER, number)
        .putShort(Ring.ASK_PLACE, (short) place)
        .put(Ring.ASK_WHAT, (byte) what);
  }

  private static byte family(InetSocketAddress address) {
    return (byte) (address.getAddress().getAddress().length == IPV4 ? 4 : 6);
  }

  private static void put(ByteBuffer ask, int at, int portAt, InetSocketAddress address) {
    ask.put(at, address.getAddress().getAddress());
    ask.putShort(portAt, (short) address.getPort());
  }

  private void send(ByteBuffer ask) {
    waiting.add(ask);
    flush();
  }

  /** Writes the questions that wait into the ring, as far as there is room. */
  synchronized void flush() {
    long forwarded = (long) LONG.getAcquire(descriptors, Ring.D_FORWARDED);
    boolean written = false;
    while (!waiting.isEmpty() && asked - forwarded < Ring.ASKS) {
      int at = asks + (int) (asked & (Ring.ASKS - 1)) * Ring.ASK_SIZE;
      slots.put(at, waiting.remove(), 0, Ring.ASK_SIZE);
      asked++;
      written = true;
    }
    if (written) {
      LONG.setRelease(slots, Ring.S_ASKED, asked);
      wake.run();
    }
  }

  /** Tells whether questions wait for room. A look without a lock, and so perhaps a late one. */
  boolean waits() {
    return !waiting.isEmpty();
  }

  /** Returns the present answer in the record of a place. */
  long answer(int place) {
    return (long) LONG.getAcquire(descriptors, at(place) + Ring.RELAY_ANSWER);
  }

  /** Tells whether the kernel has a rule, by the present record of its place. */
  boolean isActive(int rule) {
    int at = at(RulePlaces.place(rule)) + Ring.RULES_ACTIVE;
    return ((long) LONG.getOpaque(descriptors, at) >>> RulePlaces.rule(rule) & 1) == 1;
  }

  /** Returns the number of the reason for which a rule is refused, 0 if it is not. */
  int refused(int rule) {
    int bit = RulePlaces.rule(rule) * REASON_BITS;
    int at = at(RulePlaces.place(rule)) + Ring.RULES_REFUSED + bit / Long.SIZE * Long.BYTES;
    return (int) ((long) LONG.getOpaque(descriptors, at) >>> bit % Long.SIZE) & REASON_MASK;
  }

  /**
   * Returns a number of the record of a place.
   *
   * @param way {@link Ring#RELAY_TO_PEER} or {@link Ring#RELAY_TO_CLIENT}
   * @param field offset in the way
   */
  long count(int place, int way, int field) {
    return (long) LONG.getOpaque(descriptors, at(place) + way + field);
  }

  private int at(int place) {
    return records + place * Ring.RECORD_SIZE;
  }
}
