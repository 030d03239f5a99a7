// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

/** A channel number bound to a peer's transport address (RFC 8656, 12). */
public final class Channel {
  /** A binding's life, RFC 8656 section 12. */
  static final long LIFE_NANOS = 600_000_000_000L;

  /** The lowest channel number. */
  public static final int FIRST = 0x4000;

  /** The highest channel number of RFC 8656. */
  public static final int LAST = 0x4FFF;

  /** The highest channel number of RFC 5766, from which many clients still choose at random. */
  public static final int LAST_LEGACY = 0x7FFF;

  private final int number;
  private final long high;
  private final long low;
  private final int port;
  private long until;

  Channel(int number, long high, long low, int port) {
    this.number = number;
    this.high = high;
    this.low = low;
    this.port = port;
  }

  public int number() {
    return number;
  }

  public long high() {
    return high;
  }

  public long low() {
    return low;
  }

  public int port() {
    return port;
  }

  /** Returns the time at which the binding ends. */
  public long until() {
    return until;
  }

  void refresh(long now) {
    until = now + LIFE_NANOS;
  }

  /** Sets the time at which the binding ends. */
  void bindUntil(long time) {
    until = time;
  }

  boolean isBound(long now) {
    return until - now > 0;
  }

  boolean isTo(long addressHigh, long addressLow, int peerPort) {
    return low == addressLow && port == peerPort && high == addressHigh;
  }
}
