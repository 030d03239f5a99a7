// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.netserv.packet.Decision;
import org.netserv.packet.PacketCursor;
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
 * Measures KeepAlive's work on the keep-alives that the bench sends, per packet. There are 64
 * agents. Each agent's packet has a slot and a transaction of its own. All forms include the copy
 * of the packet into its slot.
 *
 * <pre>
 *   pass      each packet travels on
 *   answer    each is answered, and differs from the agent's last message in the branch only
 *   unlike    each is answered, and the agent's last message had another length
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class KeepAliveBenchmark {
  private static final int BATCH = 64;
  private static final int SLOT = 2048;
  private static final int START = 128;
  private static final int HEADERS = 28;

  private final KeepAlive passing = new KeepAlive(Map.of(ResponderSettings.PASS_EVERY, "1"));
  private final KeepAlive answering =
      new KeepAlive(
          Map.of(ResponderSettings.PASS_EVERY, "1000000", ResponderSettings.SILENT_AFTER, "0"));
  private final ByteBuffer slots =
      ByteBuffer.allocateDirect(BATCH * SLOT).order(ByteOrder.LITTLE_ENDIAN);
  private final PacketCursor cursor = new PacketCursor(slots);
  private final byte[][] first = new byte[BATCH][];
  private final byte[][] second = new byte[BATCH][];
  private int branch;
  private boolean odd;

  private static String notify(int agent, String software) {
    return String.join(
        "\r\n",
        "NOTIFY sip:198.51.100.10 SIP/2.0",
        "Via: SIP/2.0/UDP 192.0.2." + agent + ":5060;rport;branch=z9hG4bK0aaaaaaaaaaaaaaaa",
        "Max-Forwards: 70",
        "From: <sip:agent@192.0.2." + agent + ">;tag=1",
        "To: <sip:198.51.100.10>",
        "Call-ID: 1@192.0.2." + agent,
        "CSeq: 1 NOTIFY",
        "Event: keep-alive",
        "User-Agent: " + software,
        "Content-Length: 0",
        "",
        "");
  }

  private static byte[] packet(int agent, String software) {
    return Packets.udp4(
            "192.0.2." + agent,
            5060,
            "198.51.100.10",
            5060,
            notify(agent, software).getBytes(StandardCharsets.US_ASCII))
        .toBytes();
  }

  @Setup
  public void fill() {
    for (int i = 0; i < BATCH; i++) {
      first[i] = packet(100 + i, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
      second[i] = packet(100 + i, "xxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    }
    branch = HEADERS + notify(100, "x").indexOf("K0a") + 1;
  }

  @Benchmark
  @OperationsPerInvocation(BATCH)
  public int pass() {
    return batch(passing, Verdict.PASS, first);
  }

  @Benchmark
  @OperationsPerInvocation(BATCH)
  public int answer() {
    return batch(answering, Verdict.CHANGED, first);
  }

  @Benchmark
  @OperationsPerInvocation(BATCH)
  public int unlike() {
    odd = !odd;
    return batch(answering, Verdict.CHANGED, odd ? first : second);
  }

  private int batch(KeepAlive module, Verdict verdict, byte[][] originals) {
    int found = 0;
    for (int i = 0; i < BATCH; i++) {
      byte[] original = originals[i];
      int at = i * SLOT;
      original[branch] = (byte) ('a' + (original[branch] + 1 & 15)); // a new transaction
      slots.put(at + START, original);
      cursor.point(at, at + SLOT, at + START, original.length, 1500);
      Decision decision = module.process(cursor.packet(), cursor.decision());
      found += decision.verdict() == verdict ? 1 : 0;
    }
    return found;
  }
}
