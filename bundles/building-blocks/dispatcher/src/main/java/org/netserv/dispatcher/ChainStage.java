// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.util.Comparator;
import org.netserv.packet.PktProcessor;

/**
 * One place in the chain.
 *
 * @param rank lower first
 * @param age number of the module's registration, then of its service: lower is older
 */
record ChainStage(Module module, PktProcessor processor, int rank, long age, long service) {
  static final Comparator<ChainStage> ORDER =
      Comparator.comparingInt(ChainStage::rank)
          .thenComparingLong(ChainStage::age)
          .thenComparingLong(ChainStage::service);
}
