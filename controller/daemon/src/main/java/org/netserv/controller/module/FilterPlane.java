// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.netserv.controller.spawner.Spawner;
import org.netserv.controller.spawner.SpawnerReply;
import org.netserv.controller.spawner.SpawnerRequest;

/**
 * Keeps the kernel's filter list equal to ours. One list is on its way at a time. All changes
 * meanwhile go into the next list, so that a burst of changes costs two transactions.
 */
final class FilterPlane {
  private final Spawner spawner;
  private final Supplier<List<String>> lines;
  private List<Consumer<SpawnerReply>> waiting = new ArrayList<>();
  private boolean writing;

  /**
   * Writes nothing yet.
   *
   * @param lines returns the list as it should be now
   */
  FilterPlane(Spawner spawner, Supplier<List<String>> lines) {
    this.spawner = spawner;
    this.lines = lines;
  }

  /**
   * Writes the list as it is now, or as it is when its turn comes. {@code done} hears the result.
   */
  void write(Consumer<SpawnerReply> done) {
    waiting.add(done);
    next();
  }

  private void next() {
    if (writing || waiting.isEmpty()) {
      return;
    }
    writing = true;
    List<Consumer<SpawnerReply>> served = waiting;
    waiting = new ArrayList<>();
    spawner.request(
        SpawnerRequest.filters(lines.get()),
        reply -> {
          writing = false;
          served.forEach(done -> done.accept(reply));
          next();
        });
  }
}
