// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.util.Optional;

/**
 * The refusal of a message: a status, the header that is to blame when there is one, and the
 * reason. The message text is the refusal as it goes into the audit log and back to the publisher;
 * it begins with the header's name.
 */
public final class NcmException extends Exception {
  private static final long serialVersionUID = 1L;

  /** The message does not read, or lacks a header. */
  public static final int BAD_REQUEST = 400;

  /** Read, but not allowed to this publisher, here or now. */
  public static final int FORBIDDEN = 403;

  /** There is no such module. */
  public static final int NOT_FOUND = 404;

  /**
   * Contradicts something accepted before: a nonce used twice, a sequence number that went back.
   */
  public static final int CONFLICT = 409;

  /** Longer than {@link Ncm#MAX_BYTES}. */
  public static final int TOO_LARGE = 413;

  /** A dependency is not present on this node. */
  public static final int FAILED_DEPENDENCY = 424;

  private final int status;
  private final Header header;
  private final String reason;

  /**
   * @param status 400 to 599
   * @param header the header to blame, or null when it is the message as a whole or its request
   *     line
   * @param reason printable, without the header's name
   */
  public NcmException(int status, Header header, String reason) {
    super(header == null ? reason : header.text() + ": " + reason);
    this.status = status;
    this.header = header;
    this.reason = reason;
  }

  /** The NCM status, 400 to 599. */
  public int status() {
    return status;
  }

  /** The header to blame. */
  public Optional<Header> header() {
    return Optional.ofNullable(header);
  }

  /** The reason without the header's name. */
  public String reason() {
    return reason;
  }

  static NcmException bad(Header header, String reason) {
    return new NcmException(BAD_REQUEST, header, reason);
  }

  static NcmException bad(String reason) {
    return new NcmException(BAD_REQUEST, null, reason);
  }

  static NcmException tooLarge(String reason) {
    return new NcmException(TOO_LARGE, null, reason);
  }
}
