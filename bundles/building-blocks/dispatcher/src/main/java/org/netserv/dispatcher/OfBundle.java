// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/** A service on the places of the container's table that one bundle has for itself. */
abstract class OfBundle<P> {
  protected final RelayTable table;
  private final Set<P> made = ConcurrentHashMap.newKeySet();
  private final Consumer<P> ending;

  /**
   * @param ending ends what the bundle has made
   */
  OfBundle(RelayTable table, Consumer<P> ending) {
    this.table = table;
    this.ending = ending;
  }

  public abstract String unavailable();

  public boolean available() {
    return unavailable().isEmpty();
  }

  public int free() {
    return available() ? table.free() : 0;
  }

  /** Makes a thing with a free place, or returns null if there is none. */
  final P make(IntFunction<P> maker) {
    int place = available() ? table.take() : -1;
    if (place < 0) {
      return null;
    }
    return keep(maker.apply(place));
  }

  /** Keeps what is made until it ends, by itself or with the bundle. */
  final P keep(P one) {
    made.add(one);
    return one;
  }

  final void forget(P one) {
    made.remove(one);
  }

  /** Ends all that the bundle has made. */
  final void close() {
    made.forEach(ending);
  }
}
