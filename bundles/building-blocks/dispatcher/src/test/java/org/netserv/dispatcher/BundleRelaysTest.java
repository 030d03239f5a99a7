// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.host.Ring;
import org.netserv.packet.Relay;
import org.netserv.packet.RelayEntry;

/** Relays as bundles see them, with a test in the place of pktio and bpfd. */
class BundleRelaysTest {
  private static final int SLOTS = 64;
  private static final RelayEntry ENTRY = entry(0x4001);

  private final ByteBuffer d =
      ByteBuffer.allocateDirect(Ring.dBytes(SLOTS))
          .order(ByteOrder.LITTLE_ENDIAN)
          .putInt(Ring.D_SLOTS, SLOTS)
          .putInt(Ring.D_RECORD_RELAYS, Ring.RELAYS);
  private final ByteBuffer s =
      ByteBuffer.allocateDirect(Ring.sBytes(SLOTS)).order(ByteOrder.LITTLE_ENDIAN);
  private int wakes;
  private final RelayTable table = new RelayTable(d, s, "tc,relay,fib", () -> wakes++);
  private final BundleRelays relays = new BundleRelays(table);

  private static InetSocketAddress at(String address, int port) {
    return new InetSocketAddress(address, port);
  }

  private static RelayEntry entry(int channel) {
    return new RelayEntry(
        at("192.0.2.10", 4000),
        at("192.0.2.1", 3478),
        channel,
        at("2001:db8:2::1", 49160),
        at("2001:db8:2::7", 65535));
  }

  /** A question, as pktio takes it. */
  private record Ask(int number, int place, int seconds, int what, ByteBuffer bytes) {}

  private List<Ask> take() {
    List<Ask> taken = new ArrayList<>();
    long forwarded = d.getLong(Ring.D_FORWARDED);
    for (; forwarded < s.getLong(Ring.S_ASKED); forwarded++) {
      ByteBuffer ask =
          s.slice(Ring.sAsks(SLOTS) + (int) (forwarded % Ring.ASKS) * Ring.ASK_SIZE, Ring.ASK_SIZE)
              .order(ByteOrder.LITTLE_ENDIAN);
      assertEquals(Ring.ASK_MAGIC, ask.getInt(0));
      taken.add(
          new Ask(
              ask.getInt(Ring.ASK_NUMBER),
              ask.getShort(Ring.ASK_PLACE),
              ask.getShort(Ring.ASK_SECONDS) & 0xffff,
              ask.get(Ring.ASK_WHAT),
              ask));
    }
    d.putLong(Ring.D_FORWARDED, forwarded);
    return taken;
  }

  private Ask takeOne() {
    List<Ask> taken = take();
    assertEquals(1, taken.size());
    return taken.get(0);
  }

  private int record(int place) {
    return Ring.dRelays(SLOTS) + place * Ring.RECORD_SIZE;
  }

  private void answer(Ask ask, int state, int refused) {
    d.putLong(
        record(ask.place),
        (ask.number & 0xffffffffL)
            | (long) state << Ring.ANSWER_STATE
            | (long) refused << Ring.ANSWER_REFUSED);
  }

  private void count(int place, int way, long packets, long bytes, long micros) {
    d.putLong(record(place) + way, packets)
        .putLong(record(place) + way + Ring.WAY_BYTES, bytes)
        .putLong(record(place) + way + Ring.WAY_LAST_USEC, micros);
  }

  @Test
  void theQuestionHasTheWholeEntry() {
    assertNotNull(relays.bind(ENTRY, 65535));
    Ask ask = takeOne();
    assertEquals(Ring.ASK_BIND, ask.what);
    assertEquals(65535, ask.seconds);
    assertEquals(4, ask.bytes.get(Ring.ASK_CLIENT));
    assertEquals(6, ask.bytes.get(Ring.ASK_PEER));
    byte[] address = new byte[16];
    ask.bytes.get(Ring.ASK_PEER_ADDRESS, address);
    assertEquals(0x20, address[0]);
    assertEquals(7, address[15]);
    ask.bytes.get(Ring.ASK_CLIENT_ADDRESS, address);
    assertEquals((byte) 192, address[0]);
    assertEquals(10, address[3]);
    assertEquals(0, address[4]);
    assertEquals(4000, ask.bytes.getShort(Ring.ASK_CLIENT_PORT));
    assertEquals(3478, ask.bytes.getShort(Ring.ASK_SERVER_PORT));
    assertEquals((short) 49160, ask.bytes.getShort(Ring.ASK_RELAYED_PORT));
    assertEquals((short) 65535, ask.bytes.getShort(Ring.ASK_PEER_PORT));
    assertEquals(0x4001, ask.bytes.getShort(Ring.ASK_CHANNEL));
    assertEquals(1, wakes);
  }

  @Test
  void statesFollowTheAnswers() {
    Relay relay = relays.bind(ENTRY, 600);
    Ask bind = takeOne();
    assertEquals(Relay.State.ASKED, relay.state());
    answer(bind, Ring.RELAY_REFUSED, Ring.REFUSALS.indexOf("peer"));
    assertEquals(Relay.State.REFUSED, relay.state());
    assertEquals("peer", relay.refusal());
    relay.refresh(30);
    assertEquals(Relay.State.ASKED, relay.state());
    assertEquals("", relay.refusal());
    Ask refresh = takeOne();
    assertEquals(Ring.ASK_REFRESH, refresh.what);
    assertEquals(30, refresh.seconds);
    answer(refresh, Ring.RELAY_ACTIVE, 0);
    assertEquals(Relay.State.ACTIVE, relay.state());
    relay.refresh(30);
    assertEquals(Relay.State.ACTIVE, relay.state()); // the kernel goes on meanwhile
    answer(refresh, Ring.RELAY_ENDED, 0); // an answer from before the refresh
    assertEquals(Relay.State.ASKED, relay.state());
    answer(takeOne(), Ring.RELAY_ENDED, 0);
    assertEquals(Relay.State.ENDED, relay.state());
  }

  @Test
  void aPlaceKnowsItsRelaysApart() {
    Relay first = relays.bind(ENTRY, 600);
    Ask bind = takeOne();
    answer(bind, Ring.RELAY_ACTIVE, 0);
    count(bind.place, Ring.RELAY_TO_PEER, 7, 700, 70);
    count(bind.place, Ring.RELAY_TO_CLIENT, 8, 800, 80);
    assertEquals(7, first.packetsToPeer());
    first.unbind();
    first.unbind();
    assertEquals(Ring.ASK_UNBIND, takeOne().what);
    assertEquals(Ring.RELAYS, relays.free());
    assertEquals(Relay.State.ENDED, first.state());
    assertThrows(IllegalStateException.class, () -> first.refresh(1));
    Relay other = null;
    for (int i = 0; i < Ring.RELAYS; i++) {
      other = relays.bind(entry(0x4002), 600); // each place once, the first one freed last
      take();
    }
    assertEquals(0, relays.free());
    assertNull(relays.bind(ENTRY, 600));
    assertEquals(Relay.State.ASKED, other.state());
    assertEquals(0, other.packetsToPeer()); // the record still has the first one's
    assertEquals(7, first.packetsToPeer());
    assertEquals(80, first.lastToClientMicros());
  }

  @Test
  void numbersNeverGoBack() {
    Relay relay = relays.bind(ENTRY, 600);
    Ask bind = takeOne();
    answer(bind, Ring.RELAY_ACTIVE, 0);
    count(bind.place, Ring.RELAY_TO_CLIENT, 9, 90, 900);
    assertEquals(9, relay.packetsToClient());
    assertEquals(90, relay.bytesToClient());
    d.putLong(record(bind.place), 0); // pktio begins anew
    count(bind.place, Ring.RELAY_TO_CLIENT, 0, 0, 0);
    assertEquals(Relay.State.ASKED, relay.state());
    assertEquals(9, relay.packetsToClient());
    answer(bind, Ring.RELAY_ACTIVE, 0);
    count(bind.place, Ring.RELAY_TO_CLIENT, 11, 110, 1100);
    assertEquals(11, relay.packetsToClient());
  }

  @Test
  void questionsWaitForRoomInTheirOrder() {
    for (int i = 0; i < Ring.ASKS + 10; i++) {
      relays.bind(entry(0x4000 + i), 600);
    }
    assertEquals(Ring.ASKS, wakes);
    assertEquals(Ring.ASKS, take().size());
    Relay last = relays.bind(ENTRY, 600);
    List<Ask> rest = take();
    assertEquals(11, rest.size());
    assertEquals(0x4000 + Ring.ASKS, rest.get(0).bytes.getShort(Ring.ASK_CHANNEL));
    assertEquals(Relay.State.ASKED, last.state());
  }

  @Test
  void relaysEndWithTheirBundle() {
    BundleRelays other = new BundleRelays(table);
    relays.bind(ENTRY, 600);
    relays.bind(entry(0x4002), 600);
    other.bind(entry(0x4003), 600);
    take();
    relays.close();
    assertEquals(2, take().size());
    assertEquals(Ring.RELAYS - 1, other.free());
  }

  @Test
  void theReasonIsSaidWhereThereAreNoRelays() {
    assertTrue(relays.available());
    assertEquals("", relays.unavailable());
    for (String features : new String[] {null, "", "tc,fib"}) {
      BundleRelays none = new BundleRelays(new RelayTable(d, s, features, () -> wakes++));
      assertFalse(none.available());
      assertTrue(none.unavailable().contains("fast path"), none.unavailable());
      assertNull(none.bind(ENTRY, 600));
    }
    assertFalse(new BundleRelays(new RelayTable(null, null, "relay", () -> {})).available());
    d.putInt(Ring.D_RECORD_RELAYS, 0);
    assertFalse(new BundleRelays(new RelayTable(d, s, "relay", () -> {})).available());
  }

  @Test
  void badEntriesAreRefusedByName() {
    assertThrows(IllegalArgumentException.class, () -> relays.bind(ENTRY, 0));
    assertThrows(IllegalArgumentException.class, () -> relays.bind(ENTRY, 65536));
    IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> entry(0x8000));
    assertTrue(e.getMessage().startsWith("channel"), e.getMessage());
    e =
        assertThrows(
            IllegalArgumentException.class,
            () ->
                new RelayEntry(
                    at("192.0.2.1", 1), at("::2", 2), 0x4000, at("::1", 3), at("::3", 4)));
    assertTrue(e.getMessage().startsWith("server"), e.getMessage());
    assertEquals(Ring.RELAYS, relays.free());
  }

  @Test
  void readingAllocatesNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    Relay relay = relays.bind(ENTRY, 600);
    answer(takeOne(), Ring.RELAY_ACTIVE, 0);
    long sum = 0;
    long before = 0;
    for (int i = 0; i < 40_000; i++) {
      if (i == 20_000) {
        before = threads.getCurrentThreadAllocatedBytes();
      }
      sum +=
          relay.packetsToPeer()
              + relay.lastToClientMicros()
              + (relay.state() == Relay.State.ACTIVE ? 1 : 0);
    }
    assertEquals(0, threads.getCurrentThreadAllocatedBytes() - before);
    assertEquals(40_000L, sum);
  }
}
