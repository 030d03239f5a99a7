// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator.core;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/** The places of connections, in all and by source. Any thread. */
public final class Admission {
  /** A source: an IPv4 address, or 64 bits of an IPv6 address. */
  private record Source(boolean six, long bits) {
    private static Source of(InetAddress address) {
      ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
      return address instanceof Inet6Address
          ? new Source(true, bytes.getLong())
          : new Source(false, bytes.getInt());
    }
  }

  private final Map<Source, Integer> sources = new HashMap<>();
  private int taken;

  /** Gives a connection a place until it leaves. Returns the limit that forbids it, else null. */
  public synchronized Outcome enter(InetAddress address, Limits limits) {
    Source source = Source.of(address);
    int own = sources.getOrDefault(source, 0);
    if (taken >= limits.connections()) {
      return Outcome.CONNECTIONS_FULL;
    }
    if (own >= limits.perSource()) {
      return Outcome.SOURCE_FULL;
    }
    taken++;
    sources.put(source, own + 1);
    return null;
  }

  /** Frees a place that was given. */
  public synchronized void leave(InetAddress address) {
    taken--;
    sources.computeIfPresent(Source.of(address), (source, count) -> count == 1 ? null : count - 1);
  }

  /** Returns the number of places that are taken. */
  public synchronized int taken() {
    return taken;
  }
}
