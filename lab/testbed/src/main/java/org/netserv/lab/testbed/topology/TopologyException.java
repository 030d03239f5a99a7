// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.topology;

/** A topology file that cannot be built. The message names the file and the place. */
public final class TopologyException extends Exception {
  public TopologyException(String message) {
    super(message);
  }

  public TopologyException(String message, Throwable cause) {
    super(message, cause);
  }
}
