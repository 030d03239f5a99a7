// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.netserv.host.Ring;
import org.netserv.packet.Packet;
import org.netserv.packet.Packets;
import org.netserv.packet.PktProcessor;
import org.netserv.packet.Verdict;
import org.netserv.values.AllocatedBytes;

/** When a chain of modules gives the rest of a flow away. */
class OffloadTest {
  private static final PacketFilter UDP = filter(Packet.UDP, 0, false);
  private static final PacketFilter TCP = filter(Packet.TCP, 0, false);
  private static final PacketFilter SAMPLES = filter(Packet.UDP, 10, false);
  private static final PacketFilter SYNS = filter(Packet.TCP, 0, true);

  private final LoopFixture f = new LoopFixture();

  private static PacketFilter filter(int protocol, int sample, boolean synOnly) {
    return PacketFilter.of(4, protocol, null, "192.0.2.0/24", null, null, sample, synOnly);
  }

  private static Packet udp() {
    return Packets.udp4("198.51.100.7", 4000, "192.0.2.1", 5060, new byte[40]);
  }

  private static Packet tcp(int flags) {
    return Packets.tcp4("198.51.100.7", 4000, "192.0.2.1", 80, flags, new byte[4]);
  }

  private static PktProcessor offload(int seconds, Verdict verdict) {
    return (packet, decision) -> {
      decision.offload(seconds);
      if (verdict == Verdict.CHANGED) {
        packet.setTtl(9);
        return decision.changed();
      }
      return verdict == Verdict.DROP ? decision.drop() : decision.pass();
    };
  }

  private static int code(int verdict, int seconds) {
    return verdict | Ring.OFFLOAD | seconds << Ring.SECONDS_SHIFT;
  }

  private void assertCounted(long agreed, long notAgreed) {
    assertEquals(agreed, f.loop.agreement.agreed.get());
    assertEquals(notAgreed, f.loop.agreement.notAgreed.get());
  }

  @Test
  void oneModuleDecidesForItself() {
    f.add("a", offload(65535, Verdict.PASS), UDP);
    assertEquals(code(Ring.PASS, 65535), f.push(udp()));
    assertEquals(Ring.PASS, f.push(tcp(2))); // not its packet
    assertCounted(1, 0);
  }

  @Test
  void eachVerdictMayHoldForTheFlow() {
    Verdict[] say = {Verdict.DROP, Verdict.CHANGED, Verdict.PASS};
    int[] call = {0};
    f.add("a", (packet, decision) -> offload(7, say[call[0]++]).process(packet, decision), UDP);
    assertEquals(code(Ring.DROP, 7), f.push(udp()));
    assertEquals(code(Ring.CHANGED, 7), f.push(udp()));
    assertEquals(code(Ring.PASS, 7), f.push(udp()));
  }

  @Test
  void theFewestSecondsOfAllHold() {
    f.add("a", offload(60, Verdict.PASS), UDP);
    f.add("b", offload(20, Verdict.CHANGED), UDP);
    f.add("c", offload(90, Verdict.PASS), UDP);
    assertEquals(code(Ring.CHANGED, 20), f.push(udp()));
  }

  @Test
  void aModuleThatStillWantsTheFlowKeepsIt() {
    f.add("a", offload(60, Verdict.PASS), UDP);
    Module silent = f.add("b", (packet, decision) -> decision.pass(), UDP);
    f.add("c", offload(60, Verdict.PASS), UDP);
    assertEquals(Ring.PASS, f.push(udp()));
    assertCounted(0, 1);
    silent.remove();
    assertEquals(code(Ring.PASS, 60), f.push(udp()));
    assertCounted(1, 1);
  }

  @Test
  void whatAnEarlierModuleSawItMustGiveAway() {
    f.add("a", (packet, decision) -> decision.pass(), UDP);
    f.add("b", offload(60, Verdict.DROP), UDP);
    assertEquals(Ring.DROP, f.push(udp()));
    assertCounted(0, 1);
  }

  @Test
  void behindADropNobodyIsAskedButWhoSamples() {
    f.add("a", offload(60, Verdict.DROP), UDP);
    f.add("b", (packet, decision) -> decision.pass(), UDP);
    assertEquals(code(Ring.DROP, 60), f.push(udp()));
    Module samples = f.add("c", (packet, decision) -> decision.pass(), SAMPLES);
    assertEquals(Ring.DROP, f.push(udp()));
    samples.quarantine();
    assertEquals(code(Ring.DROP, 60), f.push(udp()));
    assertCounted(2, 1);
  }

  @Test
  void modulesThatSampleOrTakeSynsKeepTheirFlows() {
    f.add("samples", (packet, decision) -> decision.pass(), SAMPLES);
    f.add("a", offload(60, Verdict.PASS), UDP, TCP);
    assertEquals(Ring.PASS, f.push(udp()));
    assertEquals(code(Ring.PASS, 60), f.push(tcp(0x10)));
    f.add("syns", offload(60, Verdict.PASS), SYNS);
    assertEquals(Ring.PASS, f.push(tcp(0x10))); // it did not see this one, and wants the next SYN
    assertEquals(code(Ring.PASS, 60), f.push(tcp(0x02)));
    assertCounted(2, 2);
  }

  @Test
  void aModuleWithAProgramWantsOtherPacketsOfTheFlow() {
    f.add("a", offload(60, Verdict.PASS), UDP);
    f.add("none of these", offload(60, Verdict.PASS), UDP.with("6:0:0:0"));
    assertEquals(Ring.PASS, f.push(udp()));
    assertCounted(0, 1);
  }

  @Test
  void aFaultIsNotRepeated() {
    int[] call = {0};
    f.add(
        "a",
        (packet, decision) -> {
          decision.offload(60);
          if (call[0]++ == 0) {
            throw new IllegalStateException();
          }
          return null;
        },
        UDP);
    assertEquals(Ring.PASS, f.push(udp()));
    assertEquals(Ring.PASS, f.push(udp()));
    assertCounted(0, 0);
  }

  @Test
  void aChangeNotOwnedUpToAndAStolenPacketStayAlone() {
    int[] call = {0};
    f.add(
        "a",
        (packet, decision) -> {
          decision.offload(60);
          if (call[0]++ == 0) {
            packet.setTtl(3);
            return decision.pass();
          }
          return decision.steal("later", handle -> {});
        },
        UDP);
    assertEquals(Ring.PASS, f.push(udp()));
    assertEquals(Ring.STOLEN, f.push(udp()));
    assertCounted(0, 2);
  }

  @Test
  void aRequestIsForgottenWithItsPacketAndItsModule() {
    int[] call = {0};
    f.add(
        "a",
        (packet, decision) -> {
          if (call[0]++ == 0) {
            decision.offload(60);
          }
          return decision.pass();
        },
        UDP);
    assertEquals(code(Ring.PASS, 60), f.push(udp()));
    assertEquals(Ring.PASS, f.push(udp()));
    assertEquals(Ring.PASS, f.pushSample(udp()));
    assertCounted(1, 0);
  }

  @Test
  void theTraceTellsIt() throws InterruptedException {
    f.add("a", offload(60, Verdict.DROP), UDP);
    Tracer tracer = new Tracer(1);
    f.loop.trace(tracer);
    f.push(udp());
    assertEquals("DROP, the flow for 60 s", tracer.await(Duration.ZERO).get(0).verdict());
  }

  @Test
  void askingAllocatesNothing() {
    f.add("a", offload(60, Verdict.CHANGED), UDP);
    f.add("b", offload(30, Verdict.PASS), UDP);
    f.add("samples", (packet, decision) -> decision.pass(), SAMPLES);
    byte[] packet = udp().toBytes();
    run(packet);
    assertEquals(0, AllocatedBytes.least(() -> run(packet)));
    assertEquals(Ring.CHANGED, f.code(0));
  }

  private void run(byte[] packet) {
    for (int i = 0; i < 50_000; i++) {
      f.place(0, packet, 0);
      f.upcall(1);
    }
  }
}
