// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

/**
 * The memory of one querier from handshake to handshake: its timers, the contents of its next
 * Query, its messages without proof, and its failures.
 */
record QueryMemory(
    QueryTimers timers, QueryContents contents, UnprovenMessages unproven, QueryFailures failures) {
  QueryMemory(SentMessages.Budget budget) {
    this(new QueryTimers(), new QueryContents(), new UnprovenMessages(budget), new QueryFailures());
  }
}
