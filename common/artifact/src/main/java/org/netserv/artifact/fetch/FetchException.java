// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.fetch;

/**
 * A request that was refused or failed. It has an NCM status, a named reason for counters, and a
 * text without any of the server's words.
 */
public final class FetchException extends Exception {
  private static final long serialVersionUID = 1L;

  /** The reason of the failure. */
  public enum Reason {
    /** Not an absolute http or https URL with a plain host. */
    URL(403),
    /** The port is not a permitted one. */
    PORT(403),
    /** The host's addresses are all private, local, the node's own or otherwise refused. */
    ADDRESS(403),
    /** More redirects than permitted, or a redirect without a target. */
    REDIRECTS(502),
    /** A redirect from https to http. */
    DOWNGRADE(403),
    /** The answer is longer than permitted. */
    TOO_LARGE(413),
    /** The host has no address. */
    UNKNOWN_HOST(502),
    /** No connection, or TLS failed. */
    CONNECT(502),
    /** The server answered with another status than 200. */
    STATUS(502),
    /** The server's answer is not HTTP, or ended early. */
    PROTOCOL(502),
    /** No connection, no byte or no end of the answer in time. */
    TIMEOUT(504);

    private final int status;

    Reason(int status) {
      this.status = status;
    }

    /** The NCM status of the refusal. */
    public int status() {
      return status;
    }
  }

  private final Reason reason;

  public FetchException(Reason reason, String text) {
    super(text);
    this.reason = reason;
  }

  public FetchException(Reason reason, String text, Throwable cause) {
    super(text, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }

  /** The NCM status: 403, 413, 502 or 504. */
  public int status() {
    return reason.status();
  }
}
