// SPDX-License-Identifier: Apache-2.0
package org.netserv.command;

/**
 * Reports that a command cannot do its work. The message gives the reason, and the code is the exit
 * status.
 */
public final class CommandException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  public CommandException(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  public CommandException(int exitCode, String message, Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  public int exitCode() {
    return exitCode;
  }
}
