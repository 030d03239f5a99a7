// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.util.concurrent.atomic.AtomicLong;
import org.netserv.host.Ring;
import org.netserv.packet.Answer;

/**
 * Decides whether the rest of a flow may bypass all modules of a chain. An offload hides the flow
 * from all of them, and so does an answer by the kernel. So one module alone cannot have it:
 *
 * <ul>
 *   <li>Each module that saw the packet has asked for the offload with that packet. The chain's
 *       verdict holds, for the fewest seconds that a module asked for.
 *   <li>No module that missed this packet would see others of the flow. A module that samples the
 *       flow, or takes only the first packets of connections, disagrees by its presence.
 *   <li>Modules behind a module that dropped the packet are not asked, because they would see none
 *       of the flow anyway. Modules that sample the flow would see it, and disagree.
 * </ul>
 *
 * Packet thread only. Allocates nothing.
 */
final class Agreement {
  final AtomicLong agreed = new AtomicLong();
  final AtomicLong notAgreed = new AtomicLong();
  private boolean asked;
  private boolean refused;
  private int seconds;
  private AskedAnswer answer;
  private int answerBudget;
  private int answerSeconds;

  /** Begins with a new packet. */
  void begin() {
    asked = false;
    refused = false;
    seconds = Integer.MAX_VALUE;
    answer = null;
  }

  /**
   * Notes that a module has seen the packet and asked for so many seconds; 0 = it has not asked.
   */
  void saw(int wanted) {
    asked |= wanted > 0;
    refused |= wanted == 0;
    seconds = Math.min(seconds, wanted);
  }

  /**
   * Notes that a module has seen the packet, and asked that the kernel answer the next ones. Two
   * modules do not agree about answers.
   */
  void saw(Answer wanted, int budget, int lifetime) {
    asked = true;
    refused |= answer != null || !(wanted instanceof AskedAnswer);
    if (!refused) {
      answer = (AskedAnswer) wanted;
      answerBudget = budget;
      answerSeconds = lifetime;
    }
  }

  /** Notes that a module did not see the packet and wants others of its flow. */
  void refuse() {
    refused = true;
  }

  /** Returns the code for the node. It is the chain's verdict, for the whole flow if all agree. */
  int code(int verdict) {
    if (!asked) {
      return verdict;
    }
    if (refused || verdict == Ring.STOLEN) {
      Module.count(notAgreed);
      return verdict;
    }
    Module.count(agreed);
    if (answer != null) {
      answer.ask(answerBudget, answerSeconds);
      return verdict;
    }
    return verdict | Ring.OFFLOAD | seconds << Ring.SECONDS_SHIFT;
  }
}
