// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

/**
 * The memory of one querier from handshake to handshake: its timers, what its next Query asks for,
 * and its messages without proof.
 */
record QueryMemory(QueryTimers timers, QueryContents contents, UnprovenMessages unproven) {
  QueryMemory(SentMessages.Budget budget) {
    this(new QueryTimers(), new QueryContents(), new UnprovenMessages(budget));
  }
}
