// SPDX-License-Identifier: Apache-2.0
package org.netserv.loadmonitor;

import java.io.IOException;

/** A source of samples. */
@FunctionalInterface
public interface LoadProbe {
  /**
   * Looks at the server.
   *
   * @throws IOException if nothing can be learned of it
   */
  LoadSample sample() throws IOException;
}
