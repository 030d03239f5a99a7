// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

/**
 * The faults of a message's content. The first fault in reading order is the one named. Nothing
 * behind a fault can be read, so the connection is closed: a request is answered with {@link
 * #status}, and a response that has begun is cut.
 */
public enum ContentError {
  OK(0, "no fault"),
  CHUNK_SIZE(400, "a chunk size is missing, or has an octet that is no hexadecimal digit"),
  CHUNK_SIZE_LIMIT(413, "a chunk size has more than 16 digits, or is 2^62 or more"),
  CHUNK_EXTENSION(400, "a chunk extension has an octet that no field value may have"),
  CHUNK_EXTENSION_LIMIT(400, "the chunk extensions are longer than the limit"),
  CHUNK_END(400, "no CRLF stands behind the bytes of a chunk"),
  BARE_LF(400, "a line of the chunked coding ends in LF without CR"),
  BARE_CR(400, "a CR in the chunked coding has no LF behind it"),
  TRAILER(400, "a trailer field is no field line"),
  TRAILER_LIMIT(431, "the trailer section is larger than the limit"),
  CUT(400, "the connection ended before the content did");

  private final int status;
  private final String text;

  ContentError(int status, String text) {
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
