// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

/**
 * The faults of a head. The first fault in reading order is the one named. A fault of a request is
 * answered with {@link #status} and the connection is closed. A fault of a response is answered
 * with 502, and the connection to the origin is closed (RFC 9112, 6.3).
 */
public enum HeadError {
  OK(0, "no fault"),
  /** The head is not whole yet. */
  MORE(0, "the head is not whole"),
  RANGE(400, "the range lies outside of the array"),
  HEAD_TOO_LARGE(431, "the head is larger than the limit"),
  TARGET_TOO_LONG(414, "the request target is longer than the limit"),
  TOO_MANY_FIELDS(431, "the head has more field lines than the limit"),
  START_LINE(400, "the start line has not the form of RFC 9112"),
  METHOD(400, "the method is no token"),
  TARGET(400, "the request target has a form that its method does not allow"),
  TARGET_OCTET(400, "the request target has an octet that no target may have"),
  VERSION(505, "the version is not HTTP/1"),
  STATUS(502, "the status code is not three digits from 100 to 599"),
  BARE_LF(400, "a line ends in LF without CR"),
  BARE_CR(400, "a CR has no LF behind it"),
  CONTROL(400, "a field value has a control character"),
  OBS_FOLD(400, "a field line is folded, or blanks stand before the first field"),
  NO_COLON(400, "a field line has no colon"),
  FIELD_NAME(400, "a field name is empty or no token"),
  SPACE_BEFORE_COLON(400, "blanks stand between a field name and its colon"),
  LOOKALIKE(400, "a field name imitates Content-Length or Transfer-Encoding with an underscore"),
  CONTENT_LENGTH(400, "Content-Length is no number below 2^62"),
  CONTENT_LENGTH_REPEATED(400, "Content-Length stands more than once, or is a list"),
  LENGTH_AND_CODING(400, "Content-Length and Transfer-Encoding stand together"),
  TRANSFER_ENCODING_REPEATED(400, "Transfer-Encoding stands more than once, or is a list"),
  TRANSFER_CODING(501, "the transfer coding is not exactly chunked"),
  TRANSFER_ENCODING_VERSION(400, "Transfer-Encoding stands in a message of HTTP/1.0"),
  TRANSFER_ENCODING_STATUS(502, "Transfer-Encoding stands in a 1xx or 204 response"),
  CONNECTION_NAMES_FRAMING(400, "Connection lists Content-Length, Transfer-Encoding or Host"),
  HOST_MISSING(400, "a request of HTTP/1.1 has no Host"),
  HOST_REPEATED(400, "Host stands more than once"),
  HOST(400, "Host, or the target's authority, is no host and port");

  private final int status;
  private final String text;

  HeadError(int status, String text) {
    this.status = status;
    this.text = text;
  }

  /** The status code that answers a request with this fault, 0 for none. */
  public int status() {
    return status;
  }

  /** The fault in words, for logs and the bodies of refusals. */
  public String text() {
    return text;
  }
}
