// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

/**
 * The relay's limits.
 *
 * @param allocations at once, all users together
 * @param userAllocations at once, of one user
 * @param permissions at once, of one allocation
 * @param channels at once, of one allocation
 * @param lifetime seconds of an allocation whose client asks for no more
 * @param lifetimeMost seconds that a client can ask for
 * @param bytesPerSecond of one allocation, both directions together; 0 = no limit
 * @param totalBytesPerSecond of all allocations together; 0 = no limit
 * @param mobility whether an allocation may move to another 5-tuple
 * @param legacyChannels whether numbers above 0x4FFF may be bound, up to 0x7FFF
 */
public record Limits(
    int allocations,
    int userAllocations,
    int permissions,
    int channels,
    int lifetime,
    int lifetimeMost,
    long bytesPerSecond,
    long totalBytesPerSecond,
    boolean mobility,
    boolean legacyChannels) {
  private static final int BURSTS_PER_SECOND = 4;
  private static final long BURST_LEAST = 65_536; // a datagram of any length fits

  /** Returns the bytes that may come at once at a rate: a quarter of a second's. */
  public long burst(long rate) {
    return Math.max(BURST_LEAST, rate / BURSTS_PER_SECOND);
  }

  /** Returns the lifetime of an allocation whose client asks for one, RFC 8656 section 7.2. */
  int lifetime(long asked) {
    return (int) Math.max(lifetime, Math.min(asked, lifetimeMost));
  }
}
