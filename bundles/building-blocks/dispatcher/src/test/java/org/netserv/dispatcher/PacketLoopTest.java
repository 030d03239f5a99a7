// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.host.PacketPort;
import org.netserv.host.Ring;
import org.netserv.packet.Packet;
import org.netserv.packet.Packets;
import org.netserv.packet.Stolen;
import org.netserv.values.AllocatedBytes;

class PacketLoopTest {
  private static final PacketFilter UDP =
      PacketFilter.of(4, 17, null, "192.0.2.0/24", null, "5060-5061", 0, false);
  private static final PacketFilter SAMPLED =
      PacketFilter.of(4, 0, null, null, null, null, 10, false);

  private final LoopFixture f = new LoopFixture();

  private static Packet packet() {
    return Packets.udp4("198.51.100.7", 4000, "192.0.2.1", 5060, new byte[40]);
  }

  @Test
  void passesWhatNoModuleWants() {
    f.add("a", (p, d) -> d.drop(), UDP);
    assertEquals(Ring.PASS, f.push(Packets.udp4("192.0.2.1", 1, "192.0.3.1", 5060, new byte[1])));
    assertEquals(
        Ring.PASS, f.push(Packets.tcp4("192.0.2.1", 1, "192.0.2.1", 5060, 0, new byte[1])));
    assertEquals(2, f.loop.unmatched.get());
    assertEquals(Ring.DROP, f.push(packet()));
  }

  @Test
  void laterModulesSeeTheChangedPacket() {
    List<Integer> seen = new ArrayList<>();
    f.add(
        "a",
        (p, d) -> {
          p.setTtl(9);
          return d.changed("x");
        },
        UDP);
    f.add(
        "b",
        (p, d) -> {
          seen.add(p.ttl());
          seen.add(f.status.getInt(PacketPort.STATUS_MODULE));
          return d.pass();
        },
        UDP);
    assertEquals(Ring.CHANGED, f.push(packet()));
    assertEquals(List.of(9, 1), seen);
    assertEquals(-1, f.status.getInt(PacketPort.STATUS_MODULE));
    assertEquals(68, f.s.getInt(f.record(0) + Ring.VERDICT_LENGTH));
    assertEquals(Ring.HEADROOM, f.s.getInt(f.record(0) + Ring.VERDICT_OFFSET));
  }

  @Test
  void changedMeansNothingWithoutAChangeAndAChangeNothingWithoutChanged() {
    Module module = f.add("a", (p, d) -> d.changed(), UDP);
    assertEquals(Ring.PASS, f.push(packet()));
    assertEquals(1, module.counters().changed());
    f.add(
        "b",
        (p, d) -> {
          p.swapEndpoints();
          return d.pass();
        },
        UDP);
    Module last = f.add("c", (p, d) -> d.drop(), UDP);
    assertEquals(Ring.PASS, f.push(packet()));
    assertEquals(0, last.counters().packets());
  }

  @Test
  void quarantinesAfterThreeFaultsOfAnyKind() {
    int[] call = {0};
    Module bad =
        f.add(
            "bad",
            (p, d) -> {
              p.setTtl(1);
              return switch (call[0]++) {
                case 0 -> throw new IllegalStateException("one");
                case 1 -> throw new NoClassDefFoundError("two");
                default -> null;
              };
            },
            UDP);
    Module good = f.add("good", (p, d) -> d.drop(), UDP);
    for (int i = 0; i < 3; i++) {
      assertEquals(Ring.PASS, f.push(packet()));
    }
    assertEquals(Ring.DROP, f.push(packet()));
    assertTrue(bad.counters().quarantined());
    assertEquals(3, bad.counters().errors());
    assertEquals(1, good.counters().packets());
    assertTrue(f.faults.get(0).startsWith("bad java.lang.IllegalStateException: one at "));
    assertTrue(f.faults.get(2).endsWith("true"));
    assertEquals(-1, f.status.getInt(PacketPort.STATUS_MODULE));
  }

  @Test
  void samplesAreForModulesThatSampleAndTheirVerdictIsIgnored() {
    List<Stolen> handles = new ArrayList<>();
    Module all = f.add("all", (p, d) -> d.drop(), UDP);
    Module first = f.add("first", (p, d) -> d.drop(), SAMPLED);
    Module second = f.add("second", (p, d) -> d.steal("x", handles::add), SAMPLED);
    assertEquals(Ring.PASS, f.pushSample(packet()));
    assertEquals(0, all.counters().packets());
    assertEquals(1, first.counters().packets());
    assertEquals(1, second.counters().packets());
    assertEquals(List.of(), handles);
    assertEquals(1, f.loop.samples.get());
    assertEquals(1234, first.counters().last());
  }

  @Test
  void badDescriptorsAndMalformedPacketsPass() {
    f.add("a", (p, d) -> d.drop(), UDP);
    f.place(0, new byte[] {0x45, 0, 0}, 0);
    f.place(1, packet().toBytes(), 0);
    f.d.putInt(Ring.D_DESC + Ring.DESC_SIZE + Ring.DESC_LENGTH, Ring.SLOT_SIZE);
    f.place(2, packet().toBytes(), 0);
    f.d.putInt(Ring.D_DESC + 2 * Ring.DESC_SIZE + Ring.DESC_SLOT, -1);
    f.place(3, packet().toBytes(), 0);
    assertEquals(4, f.upcall(4));
    assertEquals(Ring.DROP, f.code(0));
    assertEquals(Ring.PASS, f.code(1));
    assertEquals(Ring.PASS, f.code(2));
    assertEquals(Ring.PASS, f.code(3));
    assertEquals(2, f.loop.badDescriptors.get());
  }

  @Test
  void stolenPacketIsAnsweredOnce() {
    List<Stolen> handles = thief(UDP);
    assertEquals(Ring.STOLEN, f.push(packet()));
    assertEquals(0, f.upcall(0));
    assertTrue(handles.get(0).drop());
    assertFalse(handles.get(0).pass());
    assertFalse(handles.get(0).change(new byte[20]));
    assertEquals(1, f.wakes);
    assertEquals(1, f.upcall(0));
    assertEquals(Ring.DROP, f.code(0));
    assertEquals(0, f.s.getInt(f.record(0) + Ring.VERDICT_SEQ));
    assertEquals(0, f.upcall(0));
  }

  @Test
  void theftIsBoundedAndPassesWhenTheTimeIsOver() {
    List<Stolen> handles = thief(UDP);
    for (int i = 0; i < 4; i++) {
      assertEquals(Ring.STOLEN, f.push(packet()));
    }
    assertEquals(Ring.PASS, f.push(packet()));
    assertFalse(handles.get(0).change(new byte[1501]));
    assertTrue(handles.get(1).change(packet().toBytes()));
    f.nanos = 1001;
    assertEquals(4, f.upcall(0));
    assertFalse(handles.get(0).pass());
    assertEquals(Ring.STOLEN, f.push(packet()));
    assertEquals(1, f.thefts.size());
  }

  @Test
  void packetsOfAModuleThatIsGonePass() {
    List<Stolen> handles = thief(UDP);
    assertEquals(Ring.STOLEN, f.push(packet()));
    f.stages.get(0).module().remove();
    f.thefts.sweep();
    assertEquals(1, f.upcall(0));
    assertEquals(Ring.PASS, f.code(0));
    assertFalse(handles.get(0).drop());
  }

  @Test
  void stolenMustBeSaidAndMeant() {
    List<Stolen> handles = new ArrayList<>();
    f.add(
        "a",
        (p, d) -> {
          d.steal("x", handles::add);
          return d.pass();
        },
        UDP);
    assertEquals(Ring.PASS, f.push(packet()));
    assertFalse(handles.get(0).pass());
    assertEquals(0, f.thefts.size());
    Module thrower =
        f.add(
            "thrower",
            (p, d) ->
                d.steal(
                    "x",
                    handle -> {
                      handles.add(handle);
                      throw new IllegalStateException();
                    }),
            UDP);
    assertEquals(Ring.PASS, f.push(packet()));
    assertFalse(handles.get(2).drop());
    assertEquals(0, f.thefts.size());
    assertEquals(1, thrower.counters().errors());
  }

  @Test
  void onlyTheDecisionOfThisPacketCountsAndOnlyIfItIsFilled() {
    Module blank = f.add("blank", (p, d) -> d, UDP);
    assertEquals(Ring.PASS, f.push(packet()));
    assertEquals(1, blank.counters().errors());
    blank.remove();
    Module other = f.add("other", (p, d) -> Packets.decision(p).drop(), UDP);
    assertEquals(Ring.PASS, f.push(packet()));
    assertEquals(1, other.counters().errors());
    assertEquals(List.of("blank no decision false", "other no decision false"), f.faults);
  }

  private List<Stolen> thief(PacketFilter filter) {
    List<Stolen> handles = new ArrayList<>();
    f.add("thief", (p, d) -> d.steal("x", handles::add), filter);
    return handles;
  }

  @Test
  void allocatesNothingPerPacket() {
    f.add("a", (p, d) -> d.pass("fine"), UDP);
    f.add(
        "b",
        (p, d) -> {
          p.swapEndpoints();
          p.setTtl(64);
          return p.setPayloadLength(20) ? d.changed("short") : d.pass("long");
        },
        UDP);
    f.add(
        "c", (p, d) -> d.drop(), PacketFilter.of(6, 0, "2001:db8::/32", null, null, null, 0, true));
    byte[] four = packet().toBytes();
    byte[] six = Packets.tcp6("2001:db8::1", 1, "2001:db8::2", 2, 2, new byte[9]).toBytes();
    run(four, six);
    assertEquals(0, AllocatedBytes.least(() -> run(four, six)));
    assertEquals(Ring.DROP, f.code(0));
    assertEquals(Ring.CHANGED, f.code(1));
  }

  private void run(byte[] four, byte[] six) {
    for (int i = 0; i < 100_000 / 2; i++) {
      f.place(0, four, 0);
      f.place(1, six, 0);
      f.upcall(2);
    }
  }
}
