// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.List;

/**
 * Bytes that are not a message. It carries what the Error message of RFC 5971 appendix A.4 has to
 * say. It has no stack trace: senders of bad bytes should not be expensive.
 */
public class GistFormatException extends Exception {
  private final GistError error;
  private final transient List<ErrorInfo> info;

  /**
   * A refusal.
   *
   * @param info the fields that appendix A.4.4 demands
   * @param message for people: what is wrong, nothing that the sender could choose but numbers
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
