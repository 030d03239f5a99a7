// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.netserv.filter.FlowFilter;

/** Whose filters there are: those of the incarnations that get packets, by publisher. */
final class FilterClaims {
  private final ModuleSettings settings;

  /** Where the numbers of sets begin: an earlier controller's do not come again. */
  private final long born;

  /** A number for the set of modules that each publisher has now. */
  private final Map<String, Long> sets = new HashMap<>();

  FilterClaims(ModuleSettings settings, long born) {
    this.settings = settings;
    this.born = born;
  }

  /** A module of this publisher has come or gone. */
  void changed(String user) {
    sets.merge(user, born + 1, (was, first) -> was + 1);
  }

  /** The lines of the spawner's verb {@code filters} for what runs now. */
  List<String> lines(Collection<ModuleSlot> slots) {
    List<FilterTable.Claim> claims = new ArrayList<>();
    for (ModuleSlot slot : slots) {
      ModuleLife life = slot.filtered();
      // A publisher whom a reload has made unknown has no queue any more, and another one's must
      // not get its packets while its modules are being ended one by one.
      OptionalInt queue = life == null ? OptionalInt.empty() : settings.queue(life.key().user());
      if (queue.isPresent()) {
        for (FlowFilter filter : life.order.filters()) {
          claims.add(
              new FilterTable.Claim(
                  filter,
                  queue.getAsInt(),
                  settings.afxdp(life.key().user()),
                  life.order.since(),
                  sets.getOrDefault(life.key().user(), born),
                  life.key()));
        }
      }
    }
    return FilterTable.lines(claims);
  }
}
