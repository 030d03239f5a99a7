// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.util.Set;
import org.netserv.http.HeadLimits;
import org.netserv.http.cache.CacheSettings;
import org.netserv.http.cache.SliceGrid;

/**
 * The choices of a cache at the edge.
 *
 * @param cache the choices that RFC 9111 leaves
 * @param limits bounds of heads
 * @param name of this cache in Cache-Status
 * @param via the pseudonym in Via, by which a loop is noticed
 * @param hosts names of the hosts that are served, in lower case without a port; empty for all
 * @param entryBytes the most bytes of a content that is stored in one piece
 * @param slices the grid of larger contents, null = none is stored in slices
 * @param signed the URLs that need a signature
 * @param orders the way to order something of the cache
 */
public record EdgeSettings(
    CacheSettings cache,
    HeadLimits limits,
    String name,
    String via,
    Set<String> hosts,
    long entryBytes,
    SliceGrid slices,
    SignedUrls signed,
    Orders orders) {
  public EdgeSettings {
    hosts = Set.copyOf(hosts);
  }

  /**
   * The way to order something of the cache.
   *
   * @param path of the orders
   * @param secret that allows them, empty for none
   * @param logBytes about the most bytes of the access log, which an order reads; 0 for none
   */
  public record Orders(String path, String secret, long logBytes) {}
}
