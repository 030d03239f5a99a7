// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import java.io.IOException;
import java.nio.file.Path;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Shell;

/** The lab's C programs, built for a test. */
final class NativeTools {
  private NativeTools() {}

  /**
   * Builds the programs into a directory with the headers of the building JDK, because a runtime
   * has none.
   */
  static void build(Path directory) throws IOException {
    String jdk = System.getProperty("netserv.jdk", System.getProperty("java.home"));
    Shell.run(
        "make",
        "-s",
        "-C",
        LabHome.file("native").toString(),
        "JAVA_HOME=" + jdk,
        "BIN=" + directory.toAbsolutePath());
  }
}
