// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.netserv.host.BatchHandler;
import org.netserv.host.PacketPort;
import org.netserv.host.Ring;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.PacketCounters;
import org.netserv.packet.PacketCursor;
import org.netserv.packet.Stolen;
import org.netserv.packet.Verdict;

/**
 * The packet thread's work: descriptors in, chain, verdicts out. It allocates memory only for a
 * stolen packet, for a module that throws, and while tracing.
 *
 * <p>If a module does anything wrong, its packet passes as it came. pktio still has the original
 * and sends it on PASS, so nothing has to be restored here.
 */
final class PacketLoop implements BatchHandler {
  /** Hears of faults on the packet thread. It must be quick and must not throw. */
  @FunctionalInterface
  interface Faults {
    /** The module threw; {@code out} = it has just been quarantined. */
    void fault(Module module, Throwable what, boolean out);
  }

  private static final VarHandle INT =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  final AtomicLong packets = new AtomicLong();
  final AtomicLong upcalls = new AtomicLong();
  final AtomicLong samples = new AtomicLong();
  final AtomicLong unmatched = new AtomicLong();
  final AtomicLong badDescriptors = new AtomicLong();
  final PacketCounters refusals = new PacketCounters();

  private final ByteBuffer descriptors;
  private final ByteBuffer status;
  private final int slotCount;
  private final int firstSlot;
  private final PacketCursor cursor;
  private final Packet packet;
  private final Decision decision;
  private final Verdicts verdicts;
  private final Thefts thefts;
  private final Faults faults;
  final Agreement agreement = new Agreement();
  private final LongSupplier epochMillis;
  private final int maxErrors;
  private volatile ChainStage[] chain = {};
  private volatile Tracer tracer;

  private long now;
  private int seq;
  private int slot;
  private Module running;
  private Tracer trace;

  /**
   * Creates the loop over the buffers of {@link PacketPort#attach}.
   *
   * @param maxErrors a module that has failed so often is quarantined
   */
  PacketLoop(
      ByteBuffer descriptors,
      ByteBuffer slots,
      ByteBuffer status,
      Thefts thefts,
      Faults faults,
      LongSupplier epochMillis,
      int maxErrors) {
    this.descriptors = descriptors;
    this.status = status;
    this.slotCount = descriptors.getInt(Ring.D_SLOTS);
    this.firstSlot = Ring.sSlots(slotCount);
    this.verdicts = new Verdicts(slots, slotCount);
    this.thefts = thefts;
    this.faults = faults;
    this.epochMillis = epochMillis;
    this.maxErrors = maxErrors;
    this.cursor = new PacketCursor(slots, refusals, this::theft);
    this.packet = cursor.packet();
    this.decision = cursor.decision();
  }

  private Stolen theft() {
    return thefts.take(running, seq, slot, packet);
  }

  /** The next upcall uses this chain. */
  void chain(ChainStage[] next) {
    chain = next;
  }

  /** Records packets from the next upcall on; null = no more. */
  void trace(Tracer next) {
    tracer = next;
  }

  @Override
  public int onBatch(long first, int count, long answered) {
    verdicts.begin(answered);
    thefts.settle(verdicts);
    Module.count(upcalls);
    now = epochMillis.getAsLong();
    trace = tracer;
    ChainStage[] stages = chain;
    for (int i = 0; i < count; i++) {
      one(first + i, stages);
    }
    return verdicts.written();
  }

  private void one(long number, ChainStage[] stages) {
    Module.count(packets);
    seq = (int) number;
    int at = Ring.D_DESC + (seq & (slotCount - 1)) * Ring.DESC_SIZE;
    slot = descriptors.getInt(at + Ring.DESC_SLOT);
    if (!point(at)) {
      verdicts.write(seq, Ring.PASS, 0, 0);
      return;
    }
    if (trace != null) {
      trace.begin(number, packet);
    }
    agreement.begin();
    int code = agreement.code(run(stages));
    if (trace != null) {
      trace.end(code);
    }
    verdicts.write(seq, code, packet.start() - slotStart(), packet.length());
  }

  /** Points the cursor at the packet of a descriptor. Returns false if no module may see it. */
  private boolean point(int at) {
    int offset = descriptors.getInt(at + Ring.DESC_OFFSET);
    int length = descriptors.getInt(at + Ring.DESC_LENGTH);
    if (slot < 0
        || slot >= slotCount
        || offset < 0
        || length < 0
        || offset > Ring.SLOT_SIZE
        || length > Ring.SLOT_SIZE - offset) {
      Module.count(badDescriptors);
      return false;
    }
    int start = slotStart();
    int mtu = descriptors.getShort(at + Ring.DESC_MTU) & 0xffff;
    if (cursor.point(start, start + Ring.SLOT_SIZE, start + offset, length, mtu) != null) {
      return false;
    }
    boolean sample = (descriptors.get(at + Ring.DESC_FLAGS) & Ring.F_COPY) != 0;
    cursor.arrived(sample, descriptors.getInt(at + Ring.DESC_USEC));
    if (sample) {
      Module.count(samples);
    }
    return true;
  }

  private int slotStart() {
    return firstSlot + slot * Ring.SLOT_SIZE;
  }

  /** Takes the packet through the chain; returns the code for the node. */
  private int run(ChainStage[] stages) {
    boolean seen = false;
    boolean changed = false;
    for (int i = 0; i < stages.length; i++) {
      ChainStage stage = stages[i];
      Module module = stage.module();
      if (module.isOut()) {
        continue;
      }
      if (!module.sees(packet)) {
        if (module.wantsFlow(packet)) {
          agreement.refuse();
        }
        continue;
      }
      seen = true;
      int changes = cursor.changes();
      Verdict verdict = ask(stage);
      if (packet.isSample()) {
        continue; // it has travelled on long ago
      }
      note(verdict);
      if (verdict == null) {
        return Ring.PASS;
      }
      if (verdict == Verdict.DROP) {
        askRest(stages, i + 1);
        return Ring.DROP;
      }
      if (verdict == Verdict.STOLEN) {
        return Ring.STOLEN;
      }
      if (verdict == Verdict.CHANGED) {
        changed |= cursor.changes() > 0;
      } else if (cursor.changes() != changes) {
        agreement.refuse();
        return Ring.PASS; // changed, but not said so: the original goes on
      }
    }
    if (!seen) {
      Module.count(unmatched);
    }
    return changed ? Ring.CHANGED : Ring.PASS;
  }

  /** Tells the agreement what the module that has just run wants for the rest of the flow. */
  private void note(Verdict verdict) {
    if (verdict != null && decision.nextAnswer() != null) {
      agreement.saw(decision.nextAnswer(), decision.nextBudget(), decision.nextSeconds());
    } else {
      agreement.saw(verdict == null ? 0 : decision.offloadSeconds());
    }
  }

  /**
   * Refuses the agreement for each stage behind the dropping one that samples the flow, because
   * that stage would see the flow's other packets.
   */
  private void askRest(ChainStage[] stages, int from) {
    for (int i = from; i < stages.length; i++) {
      Module module = stages[i].module();
      if (!module.isOut() && module.wantsFlow(packet)) {
        agreement.refuse();
      }
    }
  }

  /** Returns one module's verdict, or null if the module failed. */
  private Verdict ask(ChainStage stage) {
    Module module = stage.module();
    Module.count(module.packets);
    module.last.setOpaque(now);
    running = module;
    cursor.blank();
    Verdict verdict = null;
    Throwable fault = null;
    INT.setOpaque(status, PacketPort.STATUS_MODULE, module.index);
    try {
      if (enter(stage) == decision) {
        verdict = decision.verdict();
      }
    } catch (Throwable e) {
      // Errors too: a module's stack overflow or missing class must not end the packet thread.
      fault = e;
    }
    INT.setOpaque(status, PacketPort.STATUS_MODULE, -1);
    if (verdict != Verdict.STOLEN) {
      thefts.cancel(cursor.stolen());
    }
    account(module, verdict, fault);
    return verdict;
  }

  /**
   * Calls the module. The host tells the JVM not to inline this method: HotSpot inlines 8,000 bytes
   * of code into a method and no more, so a large module would leave nothing for the loop around
   * it.
   */
  private Decision enter(ChainStage stage) {
    return stage.processor().process(packet, decision);
  }

  private void account(Module module, Verdict verdict, Throwable fault) {
    if (trace != null) {
      trace.step(module, verdict, fault == null ? decision.reason() : fault.getClass().getName());
    }
    if (verdict == null) {
      failed(module, fault);
      return;
    }
    switch (verdict) {
      case PASS -> Module.count(module.pass);
      case DROP -> Module.count(module.drop);
      case CHANGED -> Module.count(module.changed);
      case STOLEN -> Module.count(module.stolen);
    }
  }

  private void failed(Module module, Throwable fault) {
    Module.count(module.errors);
    boolean out = module.errors.getPlain() >= maxErrors;
    if (out) {
      module.quarantine();
    }
    faults.fault(module, fault, out);
  }
}
