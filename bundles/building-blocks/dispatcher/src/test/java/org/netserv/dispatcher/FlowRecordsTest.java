// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.netserv.host.Ring;
import org.netserv.packet.Flow;
import org.netserv.packet.Packet;
import org.netserv.packet.Packets;
import org.netserv.values.AllocatedBytes;

class FlowRecordsTest {
  private static final int SLOTS = 64;
  private static final VarHandle VERSION =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private final ByteBuffer region =
      ByteBuffer.allocateDirect(Ring.dBytes(SLOTS))
          .order(ByteOrder.LITTLE_ENDIAN)
          .putInt(Ring.D_SLOTS, SLOTS)
          .putInt(Ring.D_RECORDS, Ring.dRecords(SLOTS))
          .putInt(Ring.D_RECORD_FLOWS, Ring.RECORD_FLOWS)
          .putInt(Ring.D_RECORD_COUNTS, Ring.RECORD_COUNTS);
  private final FlowRecords records = new FlowRecords(region, "tc,xdp-native");

  private int at(int index) {
    return Ring.dRecords(SLOTS) + index * Ring.RECORD_SIZE;
  }

  /** The record of a packet's flow. */
  private void put(int index, int state, Packet packet, long packets) {
    int at = at(index);
    byte[] bytes = packet.toBytes();
    boolean v4 = packet.family() == 4;
    region.putInt(at + Ring.RECORD_VERSION, 2).putInt(at + Ring.RECORD_STATE, state);
    region.put(at + Ring.RECORD_FAMILY, (byte) packet.family());
    region.put(at + Ring.RECORD_PROTOCOL, (byte) packet.protocol());
    region.put(at + Ring.RECORD_TTL, (byte) 200);
    region.put(at + Ring.RECORD_SOURCE, bytes, v4 ? 12 : 8, v4 ? 4 : 16);
    region.put(at + Ring.RECORD_DESTINATION, bytes, v4 ? 16 : 24, v4 ? 4 : 16);
    region.putShort(at + Ring.RECORD_SOURCE_PORT, (short) packet.sourcePort());
    region.putShort(at + Ring.RECORD_DESTINATION_PORT, (short) packet.destinationPort());
    region.putLong(at + Ring.RECORD_PACKETS, packets).putLong(at + Ring.RECORD_BYTES, 7L << 40);
    region.putLong(at + Ring.RECORD_LAST_USEC, 9L << 40);
  }

  private static List<String> states(Consumer<Consumer<Flow>> look) {
    List<String> seen = new ArrayList<>();
    look.accept(flow -> seen.add(flow.state() + " " + flow.packets()));
    return seen;
  }

  private static void assertSame(Packet packet, Flow flow) {
    assertEquals(packet.family(), flow.family());
    assertEquals(packet.protocol(), flow.protocol());
    assertEquals(packet.sourceHigh(), flow.sourceHigh());
    assertEquals(packet.sourceLow(), flow.sourceLow());
    assertEquals(packet.destinationHigh(), flow.destinationHigh());
    assertEquals(packet.destinationLow(), flow.destinationLow());
    assertEquals(packet.sourcePort(), flow.sourcePort());
    assertEquals(packet.destinationPort(), flow.destinationPort());
    assertEquals(200, flow.ttl());
    assertEquals(7L << 40, flow.bytes());
    assertEquals(9L << 40, flow.lastMicros());
  }

  @Test
  void aFlowReadsLikeItsPackets() {
    Packet four = Packets.udp4("198.51.100.200", 65000, "192.0.2.1", 5060, new byte[4]);
    Packet six = Packets.tcp6("2001:db8::ff", 1, "fe80::1", 2, 2, new byte[4]);
    put(0, Ring.OFFLOADED, four, 1);
    records.flows(flow -> assertSame(four, flow));
    put(0, Ring.OFFLOADED, six, 1);
    records.flows(flow -> assertSame(six, flow));
    assertEquals(List.of("OFFLOADED 1"), states(records::flows));
  }

  @Test
  void flowsAndCountsToTheLastOne() {
    Packet packet = Packets.udp4("192.0.2.1", 1, "192.0.2.2", 2, new byte[4]);
    int last = Ring.RECORD_FLOWS + Ring.RECORD_COUNTS - 1;
    put(3, Ring.ENDED_IDLE, packet, 3);
    put(4, Ring.ENDED_TIME, packet, 4);
    put(Ring.RECORD_FLOWS - 1, Ring.ENDED_REVOKED, packet, 5);
    put(Ring.RECORD_FLOWS, Ring.COUNTED, packet, 6);
    put(last, Ring.COUNTED, packet, 7);
    assertEquals(
        List.of("ENDED_IDLE 3", "ENDED_TIME 4", "ENDED_REVOKED 5"), states(records::flows));
    assertEquals(List.of("COUNTED 6", "COUNTED 7"), states(records::counts));
    List<Integer> places = new ArrayList<>();
    records.flows(flow -> places.add(flow.place()));
    records.counts(flow -> places.add(flow.place()));
    assertEquals(List.of(3, 4, Ring.RECORD_FLOWS - 1, 0, Ring.RECORD_COUNTS - 1), places);
  }

  @Test
  void whatFoundNoPlaceIsOfNoFamily() {
    int at = at(Ring.RECORD_FLOWS + Ring.RECORD_COUNTS - 1);
    region.putInt(at + Ring.RECORD_STATE, Ring.COUNTED).putLong(at + Ring.RECORD_PACKETS, 3);
    records.counts(
        flow -> {
          assertEquals(0, flow.family() | flow.ttl() | flow.sourceLow() | flow.destinationHigh());
          assertEquals(3, flow.packets());
        });
    assertEquals(List.of("COUNTED 3"), states(records::counts));
  }

  /** A writer, as pktio is one, beside the reader: all numbers of a record are of one version. */
  @Test
  void noRecordIsSeenHalfWritten() throws InterruptedException {
    put(
        Ring.RECORD_FLOWS,
        Ring.COUNTED,
        Packets.udp4("192.0.2.1", 1, "192.0.2.2", 2, new byte[4]),
        0);
    whole(at(Ring.RECORD_FLOWS), 2);
    Thread writer =
        new Thread(
            () -> {
              for (int version = 4; version < 600_000; version += 2) {
                whole(at(Ring.RECORD_FLOWS), version);
              }
            });
    writer.start();
    long[] last = {0};
    boolean running = true;
    while (running) {
      running = writer.isAlive();
      records.counts(
          flow -> {
            assertEquals(flow.packets(), flow.bytes());
            assertEquals(flow.packets(), flow.lastMicros());
            assertEquals((int) flow.packets() & 0xffff, flow.sourcePort());
            assertTrue(flow.packets() >= last[0]);
            last[0] = flow.packets();
          });
    }
    assertEquals(599_998, last[0]);
  }

  private void whole(int at, int version) {
    VERSION.setOpaque(region, at + Ring.RECORD_VERSION, version - 1);
    VarHandle.storeStoreFence();
    region.putShort(at + Ring.RECORD_SOURCE_PORT, (short) version);
    region.putLong(at + Ring.RECORD_PACKETS, version).putLong(at + Ring.RECORD_BYTES, version);
    region.putLong(at + Ring.RECORD_LAST_USEC, version);
    VERSION.setRelease(region, at + Ring.RECORD_VERSION, version);
  }

  @Test
  void whatIsBeingWrittenOrUnknownIsLeftOut() {
    Packet packet = Packets.udp4("192.0.2.1", 1, "192.0.2.2", 2, new byte[4]);
    put(0, Ring.OFFLOADED, packet, 1);
    region.putInt(at(0) + Ring.RECORD_VERSION, 3);
    put(1, Ring.COUNTED + 1, packet, 1);
    put(2, Ring.FREE, packet, 1);
    assertEquals(List.of(), states(records::flows));
  }

  @Test
  void anOlderRingHasNone() {
    put(0, Ring.OFFLOADED, Packets.udp4("192.0.2.1", 1, "192.0.2.2", 2, new byte[4]), 1);
    region.putInt(Ring.D_RECORDS, 0);
    region.putInt(Ring.D_RECORD_FLOWS, 0);
    assertEquals(List.of(), states(new FlowRecords(region, null)::flows));
    ByteBuffer shorter = region.slice(0, Ring.dRecords(SLOTS)).order(ByteOrder.LITTLE_ENDIAN);
    shorter.putInt(Ring.D_RECORD_FLOWS, Ring.RECORD_FLOWS);
    shorter.putInt(Ring.D_RECORDS, Ring.dRecords(SLOTS));
    assertEquals(List.of(), states(new FlowRecords(shorter, null)::flows));
    assertEquals(List.of(), states(new FlowRecords(null, "")::counts));
  }

  @Test
  void featuresAreWhatTheNodeOffers() {
    assertEquals(List.of("tc", "xdp-native"), records.features());
    assertTrue(new FlowRecords(region, null).features().isEmpty());
    assertTrue(new FlowRecords(region, "").features().isEmpty());
  }

  @Test
  void aLookAllocatesNothing() {
    Packet packet = Packets.udp4("192.0.2.1", 1, "192.0.2.2", 2, new byte[4]);
    for (int i = 0; i < 100; i++) {
      put(i, Ring.OFFLOADED, packet, i);
      put(Ring.RECORD_FLOWS + i, Ring.COUNTED, packet, i);
    }
    long[] sum = {0};
    Consumer<Flow> visitor = flow -> sum[0] += flow.packets();
    look(visitor);
    assertEquals(0, AllocatedBytes.least(() -> look(visitor)));
    assertTrue(sum[0] > 0);
  }

  private void look(Consumer<Flow> visitor) {
    for (int i = 0; i < 1000; i++) {
      records.flows(visitor);
      records.counts(visitor);
    }
  }
}
