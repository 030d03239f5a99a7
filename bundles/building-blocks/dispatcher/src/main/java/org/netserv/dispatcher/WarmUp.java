// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import org.netserv.packet.Packet;
import org.netserv.packet.PktProcessor;

/**
 * Has a module's code loaded, linked and run before its first real packet. Not compiled: in a
 * container that comes after some thousand packets, and rounds until then would be most of what an
 * installation costs.
 */
final class WarmUp {
  private static final int ROUNDS = 30;
  private static final int PAYLOAD = 64;

  private WarmUp() {}

  /**
   * Shows synthetic packets that match the filters to {@link PktProcessor#warmUp}.
   *
   * @return what it threw, or null
   */
  static Throwable run(PktProcessor processor, PacketFilter... filters) {
    try {
      for (PacketFilter filter : filters) {
        Packet packet = filter.example(new byte[PAYLOAD]);
        for (int i = 0; i < ROUNDS; i++) {
          if (packet.changes() > 0) {
            packet = filter.example(new byte[PAYLOAD]);
          }
          packet.begin();
          packet.received(filter.isSampled(), i);
          processor.warmUp(packet);
        }
      }
      return null;
    } catch (Throwable e) {
      // A module's fault, whatever it is: it is counted, and the module may still do its work.
      return e;
    }
  }
}
