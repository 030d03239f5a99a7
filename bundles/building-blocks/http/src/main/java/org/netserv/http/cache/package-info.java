// SPDX-License-Identifier: Apache-2.0
/**
 * The decisions of a shared HTTP cache (RFC 9111, 9110 sections 13 and 14, 5861, 9211, 9213),
 * without any input or output.
 *
 * <pre>
 *   CacheKey, Selection, SecondaryKey    4, 4.1     the stored response for a request
 *   Reuse, StaleOnError                  4, 4.2.4   fresh, stale, validate; RFC 5861
 *   Freshness, Age                       4.2, 5.1   lifetimes and ages
 *   CacheControl, Policy                 5.2        directives; the targeted fields of RFC 9213
 *   Storing, StoreVerdict                3          store or not, with the reason
 *   Validation, Freshening               4.3        conditional requests, and 304
 *   Invalidation                         4.4        unsafe methods
 *   Answer, Preconditions, ByteRanges    9110       200, 304, 206 or 416 for the client
 *   Extents, Combining                   3.3, 3.4   parts of a representation
 *   Answers, CacheStatus                 9110, 9211 the heads that a cache sends
 * </pre>
 *
 * <p>Times are milliseconds since 1970 and are arguments, never read from a clock. A {@link
 * org.netserv.http.cache.StoredResponse} is immutable and serves all threads. The other objects
 * belong to one thread. Deciding a hit allocates nothing.
 */
@org.osgi.annotation.bundle.Export
@org.osgi.annotation.versioning.Version("1.0.0")
package org.netserv.http.cache;
