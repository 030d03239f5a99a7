// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact;

import java.io.IOException;

/** Uses everything that the class scan warns of. Never run. */
final class Suspect {
  private Suspect() {}

  static native void call();

  static void end() throws IOException {
    new ProcessBuilder("true").start();
    System.exit(1);
  }
}
