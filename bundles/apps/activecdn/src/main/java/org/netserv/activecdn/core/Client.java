// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import org.netserv.http.HeadWriter;
import org.netserv.http.RequestHead;

/**
 * The way to the client of one request. A version of HTTP is an implementation: the core writes
 * heads and ranges of content, and the implementation frames them.
 */
public interface Client {
  /** The length of a content that is not known. */
  long UNKNOWN = -1;

  /** The length of a content that a response does not have, as after HEAD. */
  long NONE = -2;

  /** The head of the request, valid until the response ends. */
  RequestHead request();

  /** Tells whether the connection is secured by TLS. */
  boolean isSecure();

  /** The version of HTTP as logs name it, {@code HTTP/1.1} for instance. */
  String protocol();

  /** The client's address in text. */
  String address();

  /** Sends an interim response (RFC 9110, 15.2). The head is whole. */
  void interim(HeadWriter head);

  /**
   * Sends the head of the response.
   *
   * @param head without its empty line
   * @param length of the content, UNKNOWN or NONE
   * @return false if the head is not sound; nothing is sent then
   */
  boolean head(HeadWriter head, long length);

  /** Tells whether the client takes more at the moment. {@link Exchange#moved} tells when. */
  boolean isWritable();

  /** Sends content. The bytes never change afterwards. */
  void write(byte[] bytes, int from, int to);

  /** Sends all that was written. */
  void flush();

  /** Ends the response. */
  void end();

  /** Cuts the response, so that the client notices. */
  void abort();

  /** Stops or continues the reading of the request's content. */
  void holdContent(boolean held);

  /** Hears that the request is an order to the cache. */
  default void order() {}

  /**
   * Hears the outcome in words of Cache-Status, in front of the head that has them.
   *
   * @param from place of the words in the head
   */
  default void outcome(HeadWriter head, int from, int to) {}

  /** Hears that the exchange is over because of the client. A connection knows it already. */
  default void gone() {}
}
