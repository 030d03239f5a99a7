// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

/** Describes a module's fault in one line. */
final class Reasons {
  private static final int MOST = 300;

  private Reasons() {}

  /**
   * Describes the exception. Null means that the module returned null, or a blank decision, or the
   * decision of another packet thread.
   */
  static String of(Throwable what) {
    if (what == null) {
      return "no decision";
    }
    StringBuilder text = new StringBuilder(what.getClass().getName());
    try {
      text.append(": ").append(what.getMessage());
      StackTraceElement[] stack = what.getStackTrace();
      if (stack.length > 0) {
        text.append(" at ").append(stack[0]);
      }
    } catch (RuntimeException | StackOverflowError e) {
      // getMessage is the module's own code
      text.append(" (and its message cannot be read)");
    }
    String line = text.toString().replaceAll("\\s+", " ");
    return line.length() > MOST ? line.substring(0, MOST) : line;
  }
}
