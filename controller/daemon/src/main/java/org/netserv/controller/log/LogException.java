// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.log;

/** Reports that the log cannot be read or written. The text names the file. */
public final class LogException extends Exception {
  private static final long serialVersionUID = 1L;

  public LogException(String message, Throwable cause) {
    super(message, cause);
  }
}
