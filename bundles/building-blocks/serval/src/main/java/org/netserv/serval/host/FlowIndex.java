// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.host;

/**
 * The flows by flowID, found without allocation. Open addressing with linear probing. No stranger
 * chooses flowIDs, so that nobody can make them collide.
 */
final class FlowIndex {
  private static final int SPREAD = 0x9e3779b9; // the golden ratio

  private HeldFlow[] slots = new HeldFlow[64];
  private int size;

  int size() {
    return size;
  }

  HeldFlow get(int flowId) {
    return slots[place(flowId)];
  }

  /** Adds a flow whose flowID is not in the index. */
  void add(HeldFlow held) {
    if (size >= slots.length / 2) {
      grow();
    }
    slots[place(held.flowId)] = held;
    size++;
  }

  /** Removes a flow, and closes the gap behind it. */
  void remove(HeldFlow held) {
    int gap = place(held.flowId);
    if (slots[gap] == null) {
      return;
    }
    slots[gap] = null;
    size--;
    for (int at = next(gap); slots[at] != null; at = next(at)) {
      HeldFlow moved = slots[at];
      slots[at] = null;
      slots[place(moved.flowId)] = moved;
    }
  }

  /** Returns the slot of a flowID, or the free slot where it belongs. */
  private int place(int flowId) {
    int at = ((flowId * SPREAD) >>> 8) & (slots.length - 1);
    while (slots[at] != null && slots[at].flowId != flowId) {
      at = next(at);
    }
    return at;
  }

  private int next(int at) {
    return (at + 1) & (slots.length - 1);
  }

  private void grow() {
    HeldFlow[] former = slots;
    slots = new HeldFlow[former.length * 2];
    for (HeldFlow held : former) {
      if (held != null) {
        slots[place(held.flowId)] = held;
      }
    }
  }
}
