// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.netserv.packet.Packet;
import org.netserv.packet.Packets;
import org.netserv.packet.Verdict;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * KeepAlive's work on the keep-alives that the bench sends, per packet: 64 agents, each packet in a
 * slot of its own. {@code pass} lets each travel on.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class KeepAliveBenchmark {
  private static final int BATCH = 64;
  private static final int SLOT = 2048;
  private static final int START = 128;
  private static final byte[] NOTIFY =
      String.join(
              "\r\n",
              "NOTIFY sip:198.51.100.10 SIP/2.0",
              "Via: SIP/2.0/UDP 192.0.2.64:5060;rport;branch=z9hG4bK0aaaaaaaaaaaaaaaa",
              "Max-Forwards: 70",
              "From: <sip:agent@192.0.2.64>;tag=1",
              "To: <sip:198.51.100.10>",
              "Call-ID: 1@192.0.2.64",
              "CSeq: 1 NOTIFY",
              "Event: keep-alive",
              "User-Agent: xxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
              "Content-Length: 0",
              "",
              "")
          .getBytes(StandardCharsets.US_ASCII);

  private final KeepAlive pass = new KeepAlive(Map.of(Settings.PASS_EVERY, "1"));
  private final ByteBuffer slots =
      ByteBuffer.allocateDirect(BATCH * SLOT).order(ByteOrder.LITTLE_ENDIAN);
  private final Packet packet = new Packet(slots);
  private int length;
  private int branch;

  @Setup
  public void fill() {
    for (int i = 0; i < BATCH; i++) {
      byte[] bytes =
          Packets.udp4("192.0.2." + (64 + i), 5060, "198.51.100.10", 5060, NOTIFY).toBytes();
      slots.put(i * SLOT + START, bytes);
      length = bytes.length;
    }
    branch =
        START
            + length
            - NOTIFY.length
            + new String(NOTIFY, StandardCharsets.US_ASCII).indexOf("K0a");
  }

  @Benchmark
  @OperationsPerInvocation(BATCH)
  public int pass() {
    int passed = 0;
    for (int i = 0; i < BATCH; i++) {
      int at = i * SLOT;
      slots.put(at + branch, (byte) ('a' + (slots.get(at + branch) + 1 & 15))); // a new transaction
      packet.wrap(at, at + SLOT, at + START, length, 1500);
      packet.begin();
      passed += pass.process(packet) == Verdict.PASS ? 1 : 0;
    }
    return passed;
  }
}
