// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

/** Ways to find the end of a message's content (RFC 9112, 6.3). */
public enum Body {
  NONE,
  LENGTH,
  CHUNKED,
  /** The content of a response ends with the connection, so that a cut is not noticed. */
  UNTIL_CLOSE;

  /**
   * Decides for a request. A request without a length has no content.
   *
   * @param head read with OK, so that length and coding do not contradict each other
   */
  public static Body of(RequestHead head) {
    if (head.isChunked()) {
      return CHUNKED;
    }
    return head.contentLength() > 0 ? LENGTH : NONE;
  }

  /**
   * Decides for the response to a method. The method and the status code go before all fields.
   *
   * @param head read with OK, so that length and coding do not contradict each other
   */
  public static Body of(ResponseHead head, HttpMethod method) {
    int status = head.status();
    if (method == HttpMethod.HEAD
        || status < 200
        || status == 204
        || status == 304
        || (method == HttpMethod.CONNECT && status < 300)) {
      return NONE;
    }
    if (head.isChunked()) {
      return CHUNKED;
    }
    return head.contentLength() >= 0 ? LENGTH : UNTIL_CLOSE;
  }
}
