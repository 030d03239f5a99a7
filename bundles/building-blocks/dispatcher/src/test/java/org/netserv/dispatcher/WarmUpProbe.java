// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.util.function.Consumer;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.PktProcessor;

/** Hands the packets of a warm-up to a test. */
record WarmUpProbe(Consumer<Packet> test) implements PktProcessor {
  @Override
  public Decision process(Packet packet, Decision decision) {
    throw new AssertionError("only warmUp is called");
  }

  @Override
  public void warmUp(Packet packet, Decision decision) {
    test.accept(packet);
  }
}
