// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

import java.nio.ByteBuffer;

/**
 * The message by which the published stack registers a service at its router. It is the payload of
 * an unconnected datagram to the router's serviceID:
 *
 * <pre>
 *   0  type: 0 register, 1 unregister     1  result     2  length, 16 bits: 48
 *   4      transaction, 32 bits, in the byte order of the sender's host
 *   8  flags: 1 = again     9  reserved     10  prefix bits     11  flags of the rule
 *   12     IPv4 address: the old one when again, else 0
 *   16     serviceID, 32 bytes
 * </pre>
 *
 * The published hosts are little-endian. Nothing in the message proves who sent it.
 *
 * @param withdraws tells whether the message unregisters
 * @param transaction number of the message
 * @param again tells whether the service was registered before, at another address
 * @param prefix the serviceIDs
 * @param oldAddress IPv4, 0 if none
 */
public record Registration(
    boolean withdraws, int transaction, boolean again, ServicePrefix prefix, int oldAddress) {
  /** Bytes of a message. */
  public static final int LENGTH = 48;

  private static final int REGISTER = 0;
  private static final int UNREGISTER = 1;
  private static final int AGAIN = 1;

  /** Reads a message, or returns null if the range holds none. */
  public static Registration get(ByteBuffer bytes, int first, int stop) {
    if (first < 0 || stop > bytes.limit() || stop - first != LENGTH) {
      return null;
    }
    int type = bytes.get(first) & 0xff;
    if (type > UNREGISTER || bytes.getShort(first + 2) != LENGTH) {
      return null;
    }
    return new Registration(
        type == UNREGISTER,
        Integer.reverseBytes(bytes.getInt(first + 4)),
        (bytes.get(first + 8) & AGAIN) != 0,
        ServicePrefix.ofWire(ServiceId.get(bytes, first + 16), bytes.get(first + 10)),
        bytes.getInt(first + 12));
  }

  /** Writes 48 bytes into a big-endian buffer. */
  public void put(ByteBuffer bytes, int at) {
    bytes.put(at, (byte) (withdraws ? UNREGISTER : REGISTER));
    bytes.put(at + 1, (byte) 0);
    bytes.putShort(at + 2, (short) LENGTH);
    bytes.putInt(at + 4, Integer.reverseBytes(transaction));
    bytes.put(at + 8, (byte) (again ? AGAIN : 0));
    bytes.put(at + 9, (byte) 0);
    bytes.put(at + 10, (byte) prefix.wireLength());
    bytes.put(at + 11, (byte) 0);
    bytes.putInt(at + 12, oldAddress);
    prefix.id().put(bytes, at + 16);
  }
}
