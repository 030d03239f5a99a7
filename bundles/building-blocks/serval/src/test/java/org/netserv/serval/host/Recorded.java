// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.host;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.random.RandomGenerator;
import org.netserv.serval.ControlMessage;

/** Draws the flowID, nonce and verno of a captured flow, and nothing else. */
final class Recorded implements RandomGenerator {
  private final Queue<Long> numbers = new ArrayDeque<>();

  /** Takes the numbers of the first message that the host sent. */
  Recorded(ControlMessage first) {
    numbers.addAll(List.of((long) first.sourceFlow(), first.nonce(), (long) first.verno()));
  }

  @Override
  public long nextLong() {
    return numbers.remove();
  }

  @Override
  public int nextInt() {
    return (int) nextLong();
  }

  /** Leaves the key of the answers without state at 0. */
  @Override
  public void nextBytes(byte[] bytes) {}
}
