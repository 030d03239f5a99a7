// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.doctor;

/**
 * The result of one check.
 *
 * @param check short name, stable, for scripts
 * @param level severity
 * @param text fact that the check found
 * @param remedy advice for the operator; empty when there is nothing to do
 */
public record Finding(String check, Level level, String text, String remedy) {
  /** FAIL: a node cannot run here. WARN: a node runs, with something missing. */
  public enum Level {
    OK,
    WARN,
    FAIL
  }

  static Finding ok(String check, String text) {
    return new Finding(check, Level.OK, text, "");
  }

  static Finding warn(String check, String text, String remedy) {
    return new Finding(check, Level.WARN, text, remedy);
  }

  static Finding fail(String check, String text, String remedy) {
    return new Finding(check, Level.FAIL, text, remedy);
  }
}
