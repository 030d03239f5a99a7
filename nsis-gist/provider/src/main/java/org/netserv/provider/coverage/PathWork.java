// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.coverage;

import org.netserv.provider.base.Counter;
import org.netserv.provider.base.Counters;
import org.netserv.provider.path.PathBudget;
import org.netserv.provider.path.PathPort;

/** The means by which the nodes and the addresses of one coverage do their work. */
record PathWork(
    PathPort port, PathBudget budget, CoverageStore store, Counters counters, Agenda agenda) {
  void count(Counter counter) {
    counters.add(counter);
  }
}
