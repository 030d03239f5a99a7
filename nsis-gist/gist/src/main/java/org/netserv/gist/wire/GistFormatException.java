// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.List;

/**
 * Thrown for bytes that are not a message. It carries the contents of the Error message of RFC 5971
 * appendix A.4. It has no stack trace, because senders of bad bytes should not be expensive.
 */
public class GistFormatException extends Exception {
  private final GistError error;
  private final transient List<ErrorInfo> info;

  /**
   * Creates a refusal.
   *
   * @param info the fields that appendix A.4.4 demands
   * @param message for people: the fault, with no text that the sender could choose but numbers
   */
  public GistFormatException(GistError error, List<ErrorInfo> info, String message) {
    super(message, null, false, false);
    this.error = error;
    this.info = List.copyOf(info);
  }

  public GistError error() {
    return error;
  }

  public int code() {
    return error.code();
  }

  public int subcode() {
    return error.subcode();
  }

  public List<ErrorInfo> info() {
    return info;
  }
}
