// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

/** The refusal of a whole message: the reason, and what an Error message repeats of it. */
public final class MalformedMessageException extends GistFormatException {
  private static final long serialVersionUID = 1L;

  private final transient OffendingMessage offending;

  MalformedMessageException(GistFormatException reason, OffendingMessage offending) {
    super(reason.error(), reason.info(), reason.getMessage());
    this.offending = offending;
  }

  /** The readable parts of the refused message. */
  public OffendingMessage offending() {
    return offending;
  }
}
