// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.util.concurrent.atomic.AtomicLong;
import org.netserv.host.Ring;

/**
 * Do the modules of a chain agree that the rest of a flow need not come to them? An offload hides
 * the flow from all of them, so one alone cannot have it:
 *
 * <ul>
 *   <li>each module that saw the packet has asked for it with that packet; the verdict that holds
 *       is the chain's, the seconds are the fewest;
 *   <li>no module that did not see this packet would see others of the flow: one that samples it,
 *       or takes only the first packets of connections, disagrees by being there;
 *   <li>modules behind one that dropped the packet are not asked: they would see none of the flow
 *       anyway. Those that sample it would, and disagree.
 * </ul>
 *
 * Packet thread only; allocates nothing.
 */
final class Agreement {
  final AtomicLong agreed = new AtomicLong();
  final AtomicLong notAgreed = new AtomicLong();
  private boolean asked;
  private boolean refused;
  private int seconds;

  /** A new packet. */
  void begin() {
    asked = false;
    refused = false;
    seconds = Integer.MAX_VALUE;
  }

  /** A module has seen it and asked for so many seconds; 0 = it has not asked. */
  void saw(int wanted) {
    asked |= wanted > 0;
    refused |= wanted == 0;
    seconds = Math.min(seconds, wanted);
  }

  /** There is a module that did not see it and wants others of its flow. */
  void refuse() {
    refused = true;
  }

  /** The code for the node: the chain's verdict, for the flow if all agree. */
  int code(int verdict) {
    if (!asked) {
      return verdict;
    }
    if (refused || verdict == Ring.STOLEN) {
      Module.count(notAgreed);
      return verdict;
    }
    Module.count(agreed);
    return verdict | Ring.OFFLOAD | seconds << Ring.SECONDS_SHIFT;
  }
}
