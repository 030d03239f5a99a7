// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.doctor;

/**
 * What one check found.
 *
 * @param check short name, stable, for scripts
 * @param level how bad it is
 * @param text what was found
 * @param remedy what to do about it; empty when there is nothing to do
 */
public record Finding(String check, Level level, String text, String remedy) {
  /** FAIL: a node cannot run here. WARN: it runs with something missing. */
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
