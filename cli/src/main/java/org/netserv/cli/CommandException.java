// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

/** A command cannot do what was asked: the text says why, the code is its exit status. */
final class CommandException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  CommandException(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  CommandException(int exitCode, String message, Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  int exitCode() {
    return exitCode;
  }
}
