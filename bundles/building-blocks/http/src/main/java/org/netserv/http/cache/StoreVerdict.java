// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

/**
 * Reasons for and against storing a response (RFC 9111, 3), in the order in which they are tried.
 */
public enum StoreVerdict {
  /** The whole response may be stored. */
  STORE("stored"),
  /** The response is a part that may be stored as an incomplete 200 (3.3). */
  STORE_PART("stored as a part"),
  METHOD("the method is not GET"),
  NOT_FINAL("the response is interim"),
  NOT_MODIFIED("the response is a 304, which updates stored responses only"),
  REQUESTED("the response is a 412 or 416 about the request's preconditions or Range"),
  NOT_UNDERSTOOD("must-understand, and the status code is not understood"),
  NO_STORE("the response has no-store"),
  REQUEST_NO_STORE("the request has no-store"),
  PRIVATE("the response is private"),
  AUTHORIZATION("the request has Authorization, and the response does not allow sharing"),
  NOT_ALLOWED("neither a directive nor Expires nor the status code allows storing"),
  VARY_STAR("Vary is *"),
  VARY_SYNTAX("Vary has a member that is no field name"),
  VARY_LIMIT("Vary has more names or values than the limits"),
  USELESS("the response has no lifetime and no validator"),
  PART_UNREQUESTED("a 206 answers a request without Range"),
  PART_RANGE("a 206 has several parts, another unit or a wrong Content-Range"),
  PART_LENGTH("Content-Length of a 206 is not the length of its range");

  private final String text;

  StoreVerdict(String text) {
    this.text = text;
  }

  /** Tells whether the response is stored. */
  public boolean isStored() {
    return this == STORE || this == STORE_PART;
  }

  /** The reason in words. */
  public String text() {
    return text;
  }
}
