// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab;

import java.io.PrintStream;

/** The demo. */
public final class Demo {
  private Demo() {}

  public static int run(boolean quick, PrintStream out) throws Exception {
    return 2;
  }
}
