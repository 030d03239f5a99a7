// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.base;

import java.io.PrintStream;

/** Prints the current step, and names it if it fails. */
public final class Step {
  private final PrintStream out;
  private String name = "start";

  public Step(PrintStream out) {
    this.out = out;
  }

  /** Begins the next step. */
  public void begin(String what) {
    name = what;
    out.println("* " + name);
    out.flush();
  }

  /** Reports a failure of the current step and returns the exit status. */
  public int failed(Exception e) {
    out.println();
    out.println("FAILED at: " + name);
    out.println(e.getMessage());
    out.flush();
    return 1;
  }
}
