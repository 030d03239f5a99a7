// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import java.util.List;
import org.netserv.packet.Tally;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.table.HeldPackets;
import org.netserv.serval.table.HoldRefusal;

/** The packets that wait because of a DELAY. Their number and their time are bounded. */
final class Waiting {
  /**
   * A packet with the time at which it first had to wait. A packet that waits again does not begin
   * anew.
   */
  record Packet(Received received, long since) {}

  private final HeldPackets<Packet> held;
  private final long most;
  private final Tally<Outcome> tally;

  Waiting(HeldPackets.Limits limits, Tally<Outcome> tally) {
    held = new HeldPackets<>(limits);
    most = limits.waitMillis();
    this.tally = tally;
  }

  /**
   * Holds a packet, or drops it.
   *
   * @param since the time at which the packet came
   * @return true if it is held
   */
  boolean hold(Received received, long since, ServiceId id, Endpoint client, long now) {
    HoldRefusal refusal = HoldRefusal.LATE;
    if (now - since < most) {
      refusal = held.hold(new Packet(received.copy(), since), id, client, since);
    }
    tally.count(Outcome.of(refusal));
    return refusal == HoldRefusal.OK;
  }

  /** Takes out the packets of a prefix. */
  List<Packet> release(ServicePrefix prefix) {
    return held.size() == 0 ? List.of() : held.release(prefix);
  }

  void expire(long now) {
    held.expire(now).forEach(late -> tally.count(Outcome.HOLD_LATE));
  }

  int size() {
    return held.size();
  }
}
