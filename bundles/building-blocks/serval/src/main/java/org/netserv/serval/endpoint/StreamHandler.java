// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

/** The program at one end of a stream. Called on the thread of the endpoint, it must not block. */
@FunctionalInterface
public interface StreamHandler {
  /** The stream is open. */
  default void connected(ServalStream stream) {}

  /**
   * Bytes have come, or the end of the peer's data. Called again when more comes. What is not read
   * stays, and in the end stops the peer.
   */
  void readable(ServalStream stream);

  /** A write did not take all, and another one would take more now. */
  default void writable(ServalStream stream) {}

  /** One end has another address, and segments take the new way. */
  default void moved(ServalStream stream) {}

  /** The stream is closed. Called once. What has come can still be read. */
  default void closed(ServalStream stream, FlowEnd end) {}
}
