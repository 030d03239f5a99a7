// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.deny;

/** The outcome of an attempt: its success, and the effect that it saw. */
record Outcome(boolean succeeded, String saw) {
  private static final String SUCCEEDED = "SUCCEEDED ";
  private static final String DENIED = "DENIED ";

  /** Reads the outcome from a module's answer. */
  static Outcome of(String answer) {
    if (answer.startsWith(SUCCEEDED)) {
      return new Outcome(true, answer.substring(SUCCEEDED.length()));
    }
    boolean said = answer.startsWith(DENIED);
    return denied(said ? answer.substring(DENIED.length()) : "no outcome: " + answer);
  }

  static Outcome denied(String saw) {
    return new Outcome(false, saw);
  }

  /** Returns a text that is short enough for a table. */
  String brief(int most) {
    String text =
        saw.replaceAll("^(java|jdk|sun)\\.[a-z.]*\\.", "")
            .replaceAll("/[^ :\"]*/([^/ :\"]+)", ".../$1");
    return text.length() > most ? text.substring(0, most - 3) + "..." : text;
  }
}
