// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

/**
 * The usage of one user, over all of its allocations. The loop counts. Any thread reads slightly
 * old values.
 */
public final class Account {
  private final String user;
  private volatile int allocations;
  private volatile long ended;
  private volatile long packetsToPeers;
  private volatile long bytesToPeers;
  private volatile long packetsToClients;
  private volatile long bytesToClients;
  private volatile long nanos;
  private volatile long changes;

  Account(String user) {
    this.user = user;
  }

  public String user() {
    return user;
  }

  /** Returns the number of allocations now. */
  public int allocations() {
    return allocations;
  }

  /** Returns the number of allocations that have ended. */
  public long ended() {
    return ended;
  }

  public long packetsToPeers() {
    return packetsToPeers;
  }

  /** Returns bytes of UDP payload or TCP data. */
  public long bytesToPeers() {
    return bytesToPeers;
  }

  public long packetsToClients() {
    return packetsToClients;
  }

  /** Returns bytes of UDP payload or TCP data, without headers of TURN. */
  public long bytesToClients() {
    return bytesToClients;
  }

  /** Returns how often something has changed: 0 = the user has never had an allocation. */
  public long changes() {
    return changes;
  }

  /** Returns the sum of the lives of ended allocations. */
  public long seconds() {
    return nanos / 1_000_000_000L;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer: the loop
  void begun() {
    allocations++;
    changes++;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer: the loop
  void ended(long lifeNanos) {
    allocations--;
    ended++;
    nanos += lifeNanos;
    changes++;
  }

  /** Adds the bytes that an allocation has relayed since the last time. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer: the loop
  void used(long toPeers, long toPeersBytes, long toClients, long toClientsBytes) {
    packetsToPeers += toPeers;
    bytesToPeers += toPeersBytes;
    packetsToClients += toClients;
    bytesToClients += toClientsBytes;
    changes += toPeersBytes + toClientsBytes + toPeers + toClients == 0 ? 0 : 1;
  }
}
