// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.base;

import java.io.PrintStream;

/** Says what is going on, and which step failed. */
public final class Step {
  private final PrintStream out;
  private String name = "start";

  public Step(PrintStream out) {
    this.out = out;
  }

  /** The next step begins. */
  public void begin(String what) {
    name = what;
    out.println("* " + name);
    out.flush();
  }

  /** Reports a failure of the current step; the exit status. */
  public int failed(Exception e) {
    out.println();
    out.println("FAILED at: " + name);
    out.println(e.getMessage());
    out.flush();
    return 1;
  }
}
