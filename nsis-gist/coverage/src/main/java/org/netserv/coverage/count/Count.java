// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage.count;

import java.util.Locale;

/** A counter of an enum. */
public interface Count {
  /** Returns the name of the constant. */
  String name();

  /** Returns the meaning. The page of the process in docs/reference has the same text. */
  String words();

  /** Returns the name in the status, in lower case with dashes. */
  default String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
