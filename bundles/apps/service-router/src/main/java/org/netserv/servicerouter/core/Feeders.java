// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import org.netserv.serval.table.Aggregation;

/**
 * The feeders of a router, which are made when the router has its socket.
 *
 * @param choice the prefixes that the router announces
 * @param make makes the feeders; the executor runs a task on the router's thread
 */
public record Feeders(Aggregation.Choice choice, BiFunction<Routing, Executor, List<Feeder>> make) {
  public static final Feeders NONE =
      new Feeders(Aggregation.Choice.NONE, (routing, router) -> List.of());
}
