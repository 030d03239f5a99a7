// SPDX-License-Identifier: Apache-2.0
package org.netserv.netmonitor.report;

/** A datagram that is not a report. */
public final class ReportException extends Exception {
  private static final long serialVersionUID = 1;

  private final String field;

  ReportException(String field, String what) {
    super(field + ": " + what);
    this.field = field;
  }

  static void require(boolean holds, String field, String what) throws ReportException {
    if (!holds) {
      throw new ReportException(field, what);
    }
  }

  /** The field at fault: length, magic, version, part, name, row or family. */
  public String field() {
    return field;
  }
}
