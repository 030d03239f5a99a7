// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

/** The refusal of a whole message: the reason, and the parts that an Error message repeats. */
public final class MalformedMessageException extends GistFormatException {
  private static final long serialVersionUID = 1L;

  private final transient OffendingMessage offending;

  MalformedMessageException(GistFormatException reason, OffendingMessage offending) {
    super(reason.error(), reason.info(), reason.getMessage());
    this.offending = offending;
  }

  /** Returns the readable parts of the refused message. */
  public OffendingMessage offending() {
    return offending;
  }
}
