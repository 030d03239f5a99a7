// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import org.netserv.io.DatagramBatch;
import org.netserv.serval.Endpoint;

/** The senders of the last packets, so that a packet of a known sender allocates nothing. */
final class Senders {
  private static final int SLOTS = 64;
  private static final int FACTOR = 0x9e3779b1; // spreads neighbours, as 2^32 / the golden ratio

  private final Endpoint[] slots = new Endpoint[SLOTS];

  /** Returns the sender of an entry. */
  Endpoint of(DatagramBatch batch, int entry) {
    long high = batch.addressHigh(entry);
    long low = batch.addressLow(entry);
    int port = batch.port(entry);
    int hash = (Long.hashCode(high) + Long.hashCode(low) * 31 + port) * FACTOR;
    int slot = hash >>> 26; // the highest six bits
    Endpoint last = slots[slot];
    if (last == null || last.port() != port || last.low() != low || last.high() != high) {
      last = new Endpoint(high, low, port);
      slots[slot] = last;
    }
    return last;
  }
}
