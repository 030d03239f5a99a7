// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

/**
 * Reads the content of one message after another, by the framing that the head decides ({@link
 * Body}).
 *
 * <pre>
 *   while ((step = reader.read(bytes, at, stop)) == DATA) {
 *     ... [reader.dataStart(), reader.dataEnd())
 *     at = reader.end();
 *   }
 * </pre>
 *
 * The content is not copied, and no length is trusted with memory. One thread.
 */
public final class ContentReader {
  private final ChunkedReader chunked;
  private Body body = Body.NONE;
  private long left; // of a content with a length
  private long received;
  private int dataStart;
  private int dataEnd;
  private int at;
  private ContentError error = ContentError.OK;

  /**
   * Makes a reader.
   *
   * @param limits bounds of the trailers
   */
  public ContentReader(HeadLimits limits) {
    chunked = new ChunkedReader(limits);
  }

  /** Begins with the content of a request. */
  public ContentReader reset(RequestHead head) {
    return reset(Body.of(head), head.contentLength());
  }

  /** Begins with the content of the response to a method. */
  public ContentReader reset(ResponseHead head, HttpMethod method) {
    return reset(Body.of(head, method), head.contentLength());
  }

  private ContentReader reset(Body framing, long length) {
    body = framing;
    left = framing == Body.LENGTH ? length : 0;
    received = 0;
    error = ContentError.OK;
    chunked.reset();
    return this;
  }

  /** Reads until the slice or a range of content ends; see {@link ChunkedReader#read}. */
  public ContentStep read(byte[] bytes, int from, int stop) {
    if (error != ContentError.OK) {
      return ContentStep.FAULT;
    }
    return switch (body) {
      case CHUNKED -> chunk(bytes, from, stop);
      case NONE, LENGTH -> plain(from, stop, left);
      case UNTIL_CLOSE -> plain(from, stop, Long.MAX_VALUE);
    };
  }

  private ContentStep chunk(byte[] bytes, int from, int stop) {
    ContentStep step = chunked.read(bytes, from, stop);
    dataStart = chunked.dataStart();
    dataEnd = chunked.dataEnd();
    at = chunked.end();
    error = chunked.error();
    received += dataEnd - dataStart;
    return step;
  }

  private ContentStep plain(int from, int stop, long most) {
    int taken = (int) Math.min(most, Math.max(0, stop - from));
    dataStart = from;
    dataEnd = from + taken;
    at = dataEnd;
    received += taken;
    left -= body == Body.LENGTH ? taken : 0;
    if (taken > 0) {
      return ContentStep.DATA;
    }
    return body != Body.UNTIL_CLOSE && left == 0 ? ContentStep.END : ContentStep.MORE;
  }

  /**
   * Takes the end of the connection while {@link #read} said MORE last.
   *
   * @return whether the content is whole: one that ends with the connection is (RFC 9112, 8)
   */
  public boolean finish() {
    if (body != Body.UNTIL_CLOSE && error == ContentError.OK) {
      error = ContentError.CUT;
    }
    return error == ContentError.OK;
  }

  /** The framing of the content. */
  public Body body() {
    return body;
  }

  /** Bytes of content that were read until now. */
  public long received() {
    return received;
  }

  /** Index behind the last byte that was read. */
  public int end() {
    return at;
  }

  /** Index of the first byte of content, after DATA. */
  public int dataStart() {
    return dataStart;
  }

  /** Index behind the last byte of content, after DATA. */
  public int dataEnd() {
    return dataEnd;
  }

  /** The fault, after FAULT or a finish that says false. */
  public ContentError error() {
    return error;
  }

  /** The trailers of a chunked content, after END. */
  public FieldSection trailers() {
    return chunked.trailers();
  }
}
