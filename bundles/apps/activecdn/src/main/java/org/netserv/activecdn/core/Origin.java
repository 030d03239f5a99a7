// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import org.netserv.http.Body;
import org.netserv.http.HttpMethod;
import org.netserv.http.ResponseHead;

/** The way to the origin server. There is one origin, and nothing else is ever asked. */
public interface Origin {
  /**
   * A request.
   *
   * @param head whole, with its empty line; kept, never to be changed
   * @param body the framing of its content
   * @param repeatable whether it may be sent again when a kept connection turns out to be closed
   */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares questions
  record Question(byte[] head, HttpMethod method, Body body, boolean repeatable) {}

  /** Hears the answer. Never called from within {@link #ask}. */
  interface Sink {
    /** An interim response, valid during the call. */
    void interim(ResponseHead head);

    /**
     * The head of the final response, valid during the call.
     *
     * @param body the framing of its content
     */
    void head(ResponseHead head, Body body);

    /** A piece of the content, valid during the call. */
    void content(byte[] bytes, int from, int to);

    /** The content is whole. */
    void end();

    /** There is no whole response. Nothing follows. */
    void failed(Why why);

    /** The request's content may go on. */
    void writable();
  }

  /** A request on its way. */
  interface Call {
    /** Sends a piece of the request's content. */
    void content(byte[] bytes, int from, int to);

    /** Ends the request's content. */
    void contentEnd();

    /** Tells whether the origin takes more content at the moment. */
    boolean isWritable();

    /** Stops or continues the reading of the response. */
    void hold(boolean held);

    /** Gives the response up. The sink hears nothing any more. */
    void cancel();
  }

  /** Sends a request. */
  Call ask(Question question, Sink sink);
}
