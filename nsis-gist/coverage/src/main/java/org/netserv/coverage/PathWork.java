// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage;

import org.netserv.coverage.count.Counters;
import org.netserv.coverage.count.PathCounter;
import org.netserv.coverage.path.PathBudget;
import org.netserv.coverage.path.PathPort;

/** The means by which the nodes and the addresses of one coverage do their work. */
record PathWork(
    PathPort port, PathBudget budget, CoverageStore store, Counters counters, Agenda agenda) {
  void count(PathCounter counter) {
    counters.add(counter);
  }
}
