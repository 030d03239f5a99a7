// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import java.io.IOException;

/** The contents of a fresh router. */
@FunctionalInterface
interface Scene {
  /**
   * Sets up the scene. Everything in it ends with the stand.
   *
   * @throws IOException if this machine cannot have the scene; the message is the reason in the
   *     table
   */
  Reader open(Stand stand) throws IOException;
}
