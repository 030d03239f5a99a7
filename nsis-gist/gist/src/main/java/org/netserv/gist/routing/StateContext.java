// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import org.netserv.gist.GistCounters;

/**
 * The context of a node's routing state: where it is kept, how its messages leave, and who hears of
 * it. One reference for each of very many states.
 */
final class StateContext {
  final StateStore store;
  final Outbox outbox;
  final Applications applications;
  final GistCounters counters;

  StateContext(StateStore store, Outbox outbox, Applications applications, GistCounters counters) {
    this.store = store;
    this.outbox = outbox;
    this.applications = applications;
    this.counters = counters;
  }
}
