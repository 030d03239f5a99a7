// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage.path;

import java.net.InetAddress;
import org.netserv.publisher.PathAnswer;

/**
 * Sends messages of one module along paths. The answers come on the coverage's thread, each exactly
 * once, and never during the call.
 */
public interface PathPort {
  /** Hears the answer of a path. */
  @FunctionalInterface
  interface Listener {
    /**
     * Called once.
     *
     * @param answer null when the message could not be sent
     * @param failure the reason then, else empty
     */
    void answered(PathAnswer answer, String failure);
  }

  /** Asks the nodes on the path about themselves. */
  void probe(InetAddress to, Listener listener);

  /** Asks one node on the path to run the module, or to go on running it. */
  void setup(String nodeId, InetAddress to, Listener listener);

  /** Takes the module away from one node on the path. */
  void remove(String nodeId, InetAddress to, Listener listener);
}
