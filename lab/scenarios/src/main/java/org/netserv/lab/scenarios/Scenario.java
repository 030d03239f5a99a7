// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;

/** Something that has to hold, tried on real nodes. */
public interface Scenario {
  /** The topology it plays in: a file below {@code lab/topologies}, without its ending. */
  String topology();

  /** Acts on the testbed, prints a table; whether it holds. */
  boolean play(Stage stage) throws IOException;
}
