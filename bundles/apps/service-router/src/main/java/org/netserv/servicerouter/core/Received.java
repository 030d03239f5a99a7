// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import java.nio.ByteBuffer;
import org.netserv.serval.Endpoint;

/**
 * A datagram with its addresses. A router keeps a copy of one that waits.
 *
 * @param bytes of a memory that others may use again
 * @param start index of the first byte
 * @param end index behind the last byte
 * @param sender its source
 * @param local the address to which it came, whose halves are 0 if nobody knows it
 * @param ttl as it came
 */
public record Received(
    ByteBuffer bytes, int start, int end, Endpoint sender, Endpoint local, int ttl) {
  /** Returns a datagram with the same content in memory of its own. */
  Received copy() {
    ByteBuffer copy = ByteBuffer.allocate(end - start);
    copy.put(0, bytes, start, end - start);
    return new Received(copy, 0, end - start, sender, local, ttl);
  }
}
