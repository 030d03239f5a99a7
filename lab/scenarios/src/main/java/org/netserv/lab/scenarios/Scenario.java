// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;

/** A property that has to hold, tried on real nodes. */
public interface Scenario {
  /** Returns the scenario's topology: a file below {@code lab/topologies}, without its ending. */
  String topology();

  /** Acts on the testbed and prints a table. Returns true if the property holds. */
  boolean play(Stage stage) throws IOException;
}
