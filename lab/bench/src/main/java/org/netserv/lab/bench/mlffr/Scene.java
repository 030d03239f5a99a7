// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import java.io.IOException;

/** What is put into a fresh router. */
@FunctionalInterface
interface Scene {
  /**
   * Sets it up; everything ends with the stand.
   *
   * @throws IOException if it cannot be had here; the message is the reason in the table
   */
  Reader open(Stand stand) throws IOException;
}
