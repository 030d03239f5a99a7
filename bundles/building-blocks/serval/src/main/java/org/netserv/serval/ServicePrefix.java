// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

/**
 * The first bits of serviceIDs.
 *
 * @param id the bits; all behind the prefix are 0
 * @param bits 0 to 256
 */
public record ServicePrefix(ServiceId id, int bits) {
  /** The prefix of all serviceIDs. */
  public static final ServicePrefix DEFAULT = new ServicePrefix(ServiceId.ZERO, 0);

  private static final int LONGEST_PARTIAL = 255;

  /** Clears the bits behind the prefix, and limits its length to 0 to 256. */
  public ServicePrefix {
    bits = Math.max(0, Math.min(ServiceId.BITS, bits));
    id = id.masked(bits);
  }

  /** Returns the prefix of one serviceID alone. */
  public static ServicePrefix of(ServiceId id) {
    return new ServicePrefix(id, ServiceId.BITS);
  }

  public boolean matches(ServiceId other) {
    return other.masked(bits).equals(id);
  }

  /** Tells whether each serviceID of another prefix has this one, too. */
  public boolean covers(ServicePrefix other) {
    return other.bits >= bits && matches(other.id);
  }

  /**
   * Returns the prefix with a length from the wire. There 0 stands for all 256 bits, but with the
   * serviceID 0 for the default rule.
   */
  public static ServicePrefix ofWire(ServiceId id, int length) {
    if ((length & 0xff) == 0) {
      return id.equals(ServiceId.ZERO) ? DEFAULT : of(id);
    }
    return new ServicePrefix(id, length & 0xff);
  }

  /**
   * Returns the length for the wire, 0 to 255. It is -1 for all 256 bits of the serviceID 0, which
   * the wire cannot tell from the default rule.
   */
  public int wireLength() {
    if (bits <= LONGEST_PARTIAL) {
      return bits;
    }
    return id.equals(ServiceId.ZERO) ? -1 : 0;
  }

  @Override
  public String toString() {
    return id + "/" + bits;
  }
}
