// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import java.nio.file.Path;

/** A policy file that is not one: {@code file:line: $.path: reason}. */
public final class PolicyException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Path file;
  private final int line;
  private final String path;
  private final String reason;

  /**
   * @param line from 1; 0 = not known
   * @param path such as {@code $.quotas.memory}; {@code $} = the file as a whole
   */
  public PolicyException(Path file, int line, String path, String reason) {
    super(
        file
            + ":"
            + (line > 0 ? line + ":" : "")
            + " "
            + (path.equals("$") ? "" : path + ": ")
            + reason);
    this.file = file;
    this.line = line;
    this.path = path;
    this.reason = reason;
  }

  public PolicyException(Path file, String reason) {
    this(file, 0, "$", reason);
  }

  public Path file() {
    return file;
  }

  /** From 1; 0 = not known. */
  public int line() {
    return line;
  }

  /** JSON path of the value; {@code $} = the file as a whole. */
  public String path() {
    return path;
  }

  /** The reason without file, line and path. */
  public String reason() {
    return reason;
  }
}
