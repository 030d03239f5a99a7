// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage;

import java.util.Comparator;

/** An address or a node that is asked at a time. */
abstract class Due {
  static final Comparator<Due> BY_TIME =
      Comparator.<Due>comparingLong(item -> item.due).thenComparingLong(item -> item.number);

  private final long number;

  /** Milliseconds since 1970. Only {@link Agenda} changes it. */
  long due;

  /** True while a message about it is under way. */
  boolean asking;

  /** Failures in a row. */
  int failures;

  Due(long number) {
    this.number = number;
  }
}
