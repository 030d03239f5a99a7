// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

/** The surroundings of a connection, which carry out its decisions. No method calls it. */
public interface ConnectionPort {
  /** Sends a segment on the flow, until this method returns. */
  void send(OutgoingSegment segment);

  /** Bytes or the end of the peer's data have come. */
  void readable();

  /** A program that could not write all may write more. */
  void writable();

  /** Both ends have sent all, and all is acknowledged. What has come can still be read. */
  void finished();

  /** The peer has broken off. */
  void broken();

  /** The peer does not answer. */
  void unanswered();

  /** SAL has to close the flow. */
  void closeFlow();

  /** SAL has to break off the flow. */
  void abortFlow();
}
