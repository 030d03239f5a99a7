// SPDX-License-Identifier: Apache-2.0
package org.netserv.process;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Events per minute by name: a bucket that holds a minute's worth and fills evenly. Memory is
 * bounded: of more than 4096 names the one asked about longest ago is forgotten, which can only
 * make it look full again.
 */
public final class RateLimit {
  private static final int NAMES = 4096;
  private static final double MINUTE = 60_000;

  private final Map<String, Bucket> buckets =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
          return size() > NAMES;
        }
      };

  /**
   * Takes one if there is one.
   *
   * @param now monotonic milliseconds
   * @param perMinute more than 0
   */
  public boolean take(String name, int perMinute, long now) {
    Bucket bucket = buckets.computeIfAbsent(name, n -> new Bucket(perMinute, now));
    bucket.level = Math.min(perMinute, bucket.level + (now - bucket.at) * perMinute / MINUTE);
    bucket.at = now;
    if (bucket.level < 1) {
      return false;
    }
    bucket.level -= 1;
    return true;
  }

  private static final class Bucket {
    private double level;
    private long at;

    Bucket(double level, long at) {
      this.level = level;
      this.at = at;
    }
  }
}
