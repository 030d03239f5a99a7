// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab;

import java.io.PrintStream;
import java.util.List;

/** The scenarios by name. */
public final class LabRuns {
  private LabRuns() {}

  public static List<String> names() {
    return List.of();
  }

  public static int run(String name, PrintStream out) throws Exception {
    return 2;
  }
}
