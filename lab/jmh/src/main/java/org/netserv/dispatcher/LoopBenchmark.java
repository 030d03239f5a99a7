// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.netserv.host.PacketPort;
import org.netserv.host.Ring;
import org.netserv.packet.PktProcessor;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Measures a batch through the dispatcher to a module that passes it, per packet. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class LoopBenchmark {
  private static final int SLOTS = 64;
  private static final int BATCH = 64;

  private PacketLoop loop;
  private long next;
  private long answered;

  @Setup
  public void open() {
    ByteBuffer d = memory(Ring.dBytes(SLOTS)).putInt(Ring.D_SLOTS, SLOTS);
    ByteBuffer s = memory(Ring.sBytes(SLOTS));
    Thefts thefts = new Thefts(s, Ring.sSlots(SLOTS), 4, 1000, () -> 0);
    loop =
        new PacketLoop(
            d,
            s,
            memory(PacketPort.STATUS_SIZE),
            thefts,
            (module, what, out) -> {},
            System::currentTimeMillis,
            3);
    PacketFilter filter = PacketFilter.of(4, 17, null, "192.0.2.0/24", null, "5060", 0, false);
    byte[] packet = filter.example(new byte[22]).toBytes();
    for (int slot = 0; slot < SLOTS; slot++) {
      int at = Ring.D_DESC + slot * Ring.DESC_SIZE;
      d.putInt(at + Ring.DESC_SLOT, slot).putInt(at + Ring.DESC_OFFSET, Ring.HEADROOM);
      d.putInt(at + Ring.DESC_LENGTH, packet.length).putShort(at + Ring.DESC_MTU, (short) 1500);
      s.put(Ring.sSlots(SLOTS) + slot * Ring.SLOT_SIZE + Ring.HEADROOM, packet);
    }
    PktProcessor accept = (any, decision) -> decision.pass();
    loop.chain(
        new ChainStage[] {new ChainStage(new Module("m", 0, 0, List.of(filter)), accept, 0, 0, 0)});
  }

  private static ByteBuffer memory(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Benchmark
  @OperationsPerInvocation(BATCH)
  public int batch() {
    int written = loop.onBatch(next, BATCH, answered);
    next += BATCH;
    answered += written;
    return written;
  }
}
