// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.netserv.controller.spawner.Spawner;
import org.netserv.controller.spawner.SpawnerReply;
import org.netserv.controller.spawner.SpawnerRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the kernel's filter list equal to ours. One list is on its way at a time. All changes
 * meanwhile go into the next list, so that a burst of changes costs two transactions.
 */
final class FilterPlane {
  private static final Logger LOG = LoggerFactory.getLogger(FilterPlane.class);

  private final Spawner spawner;
  private final FilterClaims claims;
  private final ModuleTable modules;
  private List<Consumer<SpawnerReply>> waiting = new ArrayList<>();
  private boolean writing;

  /** Writes nothing yet. */
  FilterPlane(Spawner spawner, FilterClaims claims, ModuleTable modules) {
    this.spawner = spawner;
    this.claims = claims;
    this.modules = modules;
  }

  /** Records that a module of this publisher has come or gone. */
  void changed(String user) {
    claims.changed(user);
  }

  /** Writes the list, for example after the spawner has come back. A failure is only logged. */
  void rewrite() {
    write(
        reply -> {
          if (!reply.ok()) {
            LOG.error("filters: {}", reply.reason());
          }
        });
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
        SpawnerRequest.filters(claims.lines(modules.slots())),
        reply -> {
          writing = false;
          served.forEach(done -> done.accept(reply));
          next();
        });
  }
}
