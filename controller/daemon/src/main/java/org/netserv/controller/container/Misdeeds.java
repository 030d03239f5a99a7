// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.netserv.process.RateLimit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the refusals of the container socket for each uid, and writes a bounded number of log
 * lines about them. Also counts the refusals of the other local sockets. Safe on any thread.
 */
public final class Misdeeds {
  private static final Logger LOG = LoggerFactory.getLogger(Misdeeds.class);

  /** Log lines about one uid a minute. */
  static final int LINES_PER_MINUTE = 6;

  /** Misdeeds of one uid a minute after which its container is not worth talking to. */
  static final int PER_MINUTE = 60;

  /** Uids that are remembered, more than containers and spares can have. */
  private static final int UIDS = 8192;

  private final Map<String, Long> local = new TreeMap<>();
  private final RateLimit lines = new RateLimit();
  private final RateLimit patience = new RateLimit();
  private final RateLimit verdicts = new RateLimit();
  private final Map<Long, Counts> counts =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Counts> eldest) {
          return size() > UIDS;
        }
      };

  /**
   * Counts one misdeed.
   *
   * @param now monotonic milliseconds
   * @param text about it, of bounded length
   * @return the reason to restart the container; empty while there is none, and for the rest of the
   *     minute after it was returned
   */
  synchronized Optional<String> add(long uid, Misdeed misdeed, String text, long now) {
    Counts own = counts.computeIfAbsent(uid, u -> new Counts());
    own.byName.merge(misdeed.text(), 1L, Long::sum);
    log(uid, own, misdeed, text, now);
    if (!misdeed.fault()
        || patience.take(key(uid), PER_MINUTE, now)
        || !verdicts.take(key(uid), 1, now)) {
      return Optional.empty();
    }
    return Optional.of(
        "misuses container.sock: more than "
            + PER_MINUTE
            + " refusals a minute, the last one "
            + misdeed.text());
  }

  private void log(long uid, Counts own, Misdeed misdeed, String text, long now) {
    if (!lines.take(key(uid), LINES_PER_MINUTE, now)) {
      own.silent++;
      return;
    }
    String more = own.silent == 0 ? "" : "; " + own.silent + " more were not logged";
    own.silent = 0;
    LOG.warn("agent of uid {}: {}: {}{}", uid, misdeed.text(), text, more);
  }

  /** Returns true if one more line about this uid may be written to the log. */
  synchronized boolean mayLog(long uid, long now) {
    return lines.take(key(uid), LINES_PER_MINUTE, now);
  }

  private static String key(long uid) {
    return Long.toString(uid);
  }

  /** Returns the counters of one uid, by name. */
  public synchronized Map<String, Long> of(long uid) {
    Counts own = counts.get(uid);
    return own == null ? Map.of() : new TreeMap<>(own.byName);
  }

  /** Returns the counters of all uids together and of the local sockets, by name. */
  public synchronized Map<String, Long> all() {
    Map<String, Long> sums = new TreeMap<>(local);
    counts.values().forEach(own -> own.byName.forEach((name, n) -> sums.merge(name, n, Long::sum)));
    return sums;
  }

  /** Counts a refusal of a socket that has no container behind it. */
  public synchronized void count(String name) {
    local.merge(name, 1L, Long::sum);
  }

  private static final class Counts {
    private final Map<String, Long> byName = new TreeMap<>();
    private long silent;
  }
}
