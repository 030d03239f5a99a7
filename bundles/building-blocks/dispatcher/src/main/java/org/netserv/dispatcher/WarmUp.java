// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.nio.ByteBuffer;
import org.netserv.packet.PacketCursor;
import org.netserv.packet.Packets;
import org.netserv.packet.PktProcessor;

/**
 * Loads, links and runs a module's code before its first real packet. The first round loads, and
 * the next ones find what the first one has left to be done. The code is not compiled by then. In a
 * container, compilation comes after some thousand packets, and so many rounds would be most of an
 * installation's cost.
 */
final class WarmUp {
  static final int ROUNDS = 3;
  private static final int PAYLOAD = 64;

  private WarmUp() {}

  /**
   * Shows synthetic packets that match the filters to {@link PktProcessor#warmUp}.
   *
   * @return the exception thrown, or null
   */
  static Throwable run(PktProcessor processor, PacketFilter... filters) {
    try {
      for (PacketFilter filter : filters) {
        byte[] packet = filter.example(new byte[PAYLOAD]).toBytes();
        ByteBuffer slot = ByteBuffer.allocateDirect(Packets.SLOT);
        PacketCursor cursor = new PacketCursor(slot);
        for (int i = 0; i < ROUNDS; i++) {
          slot.put(Packets.HEADROOM, packet);
          cursor.point(0, Packets.SLOT, Packets.HEADROOM, packet.length, Packets.MTU);
          cursor.arrived(filter.isSampled(), i);
          processor.warmUp(cursor.packet(), cursor.decision());
        }
      }
      return null;
    } catch (Throwable e) {
      // A module's fault, whatever it is: it is counted, and the module may still do its work.
      return e;
    }
  }
}
