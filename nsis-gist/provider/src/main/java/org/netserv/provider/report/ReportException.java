// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.report;

/** Reports a datagram that is no report. */
public final class ReportException extends Exception {
  private static final long serialVersionUID = 1L;

  ReportException(String reason) {
    super(reason);
  }
}
