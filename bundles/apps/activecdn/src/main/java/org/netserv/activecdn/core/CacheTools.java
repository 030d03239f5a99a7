// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.util.Arrays;
import java.util.Random;
import org.netserv.http.Field;
import org.netserv.http.HeadWriter;
import org.netserv.http.RequestHead;
import org.netserv.http.cache.Answers;
import org.netserv.http.cache.ByteRanges;
import org.netserv.http.cache.CacheControl;
import org.netserv.http.cache.CacheKey;
import org.netserv.http.cache.CacheStatus;
import org.netserv.http.cache.Freshening;
import org.netserv.http.cache.SecondaryKey;
import org.netserv.http.cache.Storing;
import org.netserv.packet.Tally;

/**
 * The store, the origin, the clock and the tools that all requests share. Knows no request and no
 * fetch: {@link Edge} has these besides. All calls come from one thread, the event loop.
 */
abstract class CacheTools {
  private static final int RANGES = 16;

  final EdgeSettings settings;
  final Store store;
  final Origin origin;
  final Time time;
  final Tally<Why> tally;
  final AccessLog log;
  final Marks marks = new Marks();

  // Tools, each used within one call.
  final CacheKey cacheKey = new CacheKey();
  final Key probe = Key.probe();
  final CacheControl directives = new CacheControl();
  final SecondaryKey matcher;
  final Storing storing;
  final Admission admission;
  final Freshener freshener;
  final Answers answers = new Answers();
  final ByteRanges ranges = new ByteRanges(RANGES);
  final CacheStatus status;
  final HeadWriter out;

  private final Random random;

  /**
   * Makes the tools.
   *
   * @param random for the boundaries of multipart answers
   */
  CacheTools(
      EdgeSettings settings,
      Store store,
      Origin origin,
      Time time,
      Tally<Why> tally,
      Random random) {
    this.settings = settings;
    this.store = store;
    this.origin = origin;
    this.time = time;
    this.tally = tally;
    this.random = random;
    log = new AccessLog(settings.orders().logBytes());
    matcher = new SecondaryKey(settings.cache());
    storing = new Storing(settings.cache(), settings.limits());
    admission = new Admission(settings, storing);
    Freshening freshening = new Freshening(settings.cache(), settings.limits());
    freshener = new Freshener(store, freshening, matcher, tally);
    status = new CacheStatus(settings.name());
    out = new HeadWriter(2 * settings.limits().bytes());
  }

  /** Counts an outcome. */
  public final void count(Why why) {
    tally.count(why);
  }

  /** The clock. */
  public final Time time() {
    return time;
  }

  public final EdgeSettings settings() {
    return settings;
  }

  /** Returns a boundary that no content has by design. */
  final String boundary() {
    return Long.toHexString(random.nextLong()) + Long.toHexString(random.nextLong());
  }

  /** Points the key at a request. It is valid until the next request. */
  final Key key(RequestHead request, boolean secure) {
    return probe.reset(cacheKey.reset(request, secure));
  }

  /** Copies a request, for a fetch that may outlive it. */
  final RequestHead copy(RequestHead from) {
    RequestHead copy = new RequestHead(settings.limits());
    byte[] bytes = Arrays.copyOf(from.bytes(), from.end());
    copy.reset(bytes, 0, bytes.length);
    return copy;
  }

  /** Adds this edge to Via. */
  final void via(int minor) {
    out.name(Field.VIA).text("1.").number(minor).text(" ").text(settings.via()).line();
  }
}
