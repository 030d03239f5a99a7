// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.netserv.host.PacketPort;
import org.netserv.host.Ring;
import org.netserv.packet.Packet;
import org.netserv.packet.Stolen;

/**
 * The packets that modules have stolen and not yet given back.
 *
 * <p>Answers come from any thread: each handle is pushed once on a stack that links the handles
 * themselves, and the packet thread takes the whole stack at its next upcall, which the first
 * answer asks for. A slot belongs to us until its final verdict, so that {@code change} may write
 * into it.
 *
 * <pre>
 *   OPEN --pass, drop, change--> ANSWERED --packet thread writes the verdict--> out of the table
 *     \--module threw, did not say STOLEN, is gone, or the time is over--> CLOSED
 * </pre>
 */
final class Thefts {
  private static final int OPEN = 0;
  private static final int ANSWERED = 1;
  private static final int CLOSED = 2;

  private final ByteBuffer slots;
  private final int firstSlot;
  private final int most;
  private final long nanos;
  private final LongSupplier clock;
  private final ArrayDeque<Handle> open;
  private final AtomicReference<Handle> answers = new AtomicReference<>();
  private volatile boolean sweep;

  /**
   * @param slots region S
   * @param firstSlot offset of slot 0 in it
   * @param most packets stolen at a time
   * @param nanos after which a stolen packet is given back; the node has passed it long before
   */
  Thefts(ByteBuffer slots, int firstSlot, int most, long nanos, LongSupplier clock) {
    this.slots = slots.duplicate();
    this.firstSlot = firstSlot;
    this.most = most;
    this.nanos = nanos;
    this.clock = clock;
    this.open = new ArrayDeque<>(most);
  }

  /** Opens a handle, or returns null if too many are open. Packet thread. */
  Stolen take(Module module, int seq, int slot, Packet packet) {
    if (open.size() >= most) {
      return null;
    }
    Handle handle = new Handle(module, seq, slot, packet.mtu(), clock.getAsLong());
    open.addLast(handle);
    return handle;
  }

  /** Closes a handle that its module did not take after all. Packet thread, same packet. */
  void cancel(Stolen stolen) {
    if (stolen != null && ((Handle) stolen).state.getAndSet(CLOSED) != CLOSED) {
      open.remove(stolen);
    }
  }

  /** The packets of modules that are gone are to pass at the next upcall. Any thread. */
  void sweep() {
    sweep = true;
  }

  /** Writes the final verdicts that are due. Packet thread, at the start of an upcall. */
  void settle(Verdicts verdicts) {
    if (open.isEmpty()) {
      answers.set(null);
      return;
    }
    for (Handle h = answers.getAndSet(null); h != null; h = h.next) {
      if (open.remove(h)) {
        verdicts.write(h.seq, h.code, h.offset, h.length);
      }
    }
    boolean all = sweep;
    sweep = false;
    long now = clock.getAsLong();
    for (Iterator<Handle> i = open.iterator(); i.hasNext(); ) {
      Handle h = i.next();
      boolean due = now - h.since > nanos;
      if (!due && !all) {
        break; // they are in order of age
      }
      if ((due || h.module.isGone()) && h.state.compareAndSet(OPEN, CLOSED)) {
        i.remove();
        verdicts.write(h.seq, Ring.PASS, 0, 0);
      }
    }
  }

  int size() {
    return open.size();
  }

  private final class Handle implements Stolen {
    final Module module;
    final int seq;
    final long since;
    final AtomicInteger state = new AtomicInteger(OPEN);
    private final int slot;
    private final int mtu;
    int code;
    int offset;
    int length;
    Handle next;

    Handle(Module module, int seq, int slot, int mtu, long since) {
      this.module = module;
      this.seq = seq;
      this.slot = slot;
      this.mtu = mtu;
      this.since = since;
    }

    @Override
    public boolean pass() {
      return state.compareAndSet(OPEN, ANSWERED) && answer(Ring.PASS, 0);
    }

    @Override
    public boolean drop() {
      return state.compareAndSet(OPEN, ANSWERED) && answer(Ring.DROP, 0);
    }

    @Override
    public boolean change(byte[] packet) {
      if (packet.length > Math.min(mtu, Ring.SLOT_SIZE - Ring.HEADROOM)
          || !state.compareAndSet(OPEN, ANSWERED)) {
        return false;
      }
      slots.put(firstSlot + slot * Ring.SLOT_SIZE + Ring.HEADROOM, packet);
      return answer(Ring.CHANGED, packet.length);
    }

    private boolean answer(int verdict, int bytes) {
      code = verdict;
      offset = Ring.HEADROOM;
      length = bytes;
      Handle head;
      do {
        head = answers.get();
        next = head;
      } while (!answers.compareAndSet(head, this));
      if (head == null) {
        PacketPort.host().wake();
      }
      return true;
    }
  }
}
