// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.netserv.filter.FlowFilter;

/** Collects the filters of the incarnations that get packets, by publisher. */
final class FilterClaims {
  private final ModuleSettings settings;

  /**
   * The first number of the sets. It is new, so that the numbers of an earlier controller do not
   * come again.
   */
  private final long born;

  /** The number of the present set of modules of each publisher. */
  private final Map<String, Long> sets = new HashMap<>();

  FilterClaims(ModuleSettings settings, long born) {
    this.settings = settings;
    this.born = born;
  }

  /** Gives the publisher's modules a new set number, because one has come or gone. */
  void changed(String user) {
    sets.merge(user, born + 1, (was, first) -> was + 1);
  }

  /** Returns the lines of the spawner's verb {@code filters} for the modules that run now. */
  List<String> lines(Collection<ModuleSlot> slots) {
    List<FilterTable.Claim> claims = new ArrayList<>();
    for (ModuleSlot slot : slots) {
      ModuleLife life = slot.filtered();
      // A reload may have made the publisher unknown, and it then has no queue. Another publisher's
      // queue must not get its packets while its modules are being ended one by one.
      OptionalInt queue = life == null ? OptionalInt.empty() : settings.queue(life.key().user());
      if (queue.isPresent()) {
        for (FlowFilter filter : life.order.filters()) {
          if (filter.takes() && !slot.answers(life)) {
            continue;
          }
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
