// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

/**
 * The objects of a {@link LoadOrigin}. Their versions follow the clock, and their bytes follow from
 * number and version, so that a client knows what it must get without asking.
 *
 * <pre>
 *   /load/GROUP/NUMBER     group = number modulo 4, and the surrogate key "group-GROUP"
 * </pre>
 */
final class LoadObjects {
  /** The number of objects. */
  static final int COUNT = 48;

  /** The number of groups. */
  static final int GROUPS = 4;

  /** Seconds for which a response is fresh. */
  static final int MAX_AGE = 5;

  private static final long LEAST_PERIOD = 9_000;
  private static final int KIBI = 1024;

  private LoadObjects() {}

  static int group(int number) {
    return number % GROUPS;
  }

  static String path(int number) {
    return "/load/" + group(number) + "/" + number;
  }

  /** Returns the version of an object at a moment, in milliseconds since 1970. */
  static long version(int number, long millis) {
    long period = LEAST_PERIOD + mix(number) % 50 * 1_000;
    return number % 3 == 0 ? 1 : millis / period; // a third never changes
  }

  /** Returns the bytes of a version: of some kilobytes, half a megabyte, or a few megabytes. */
  static int size(int number, long version) {
    long random = mix(number * 1_000_003L + version);
    int most = number % 8 == 0 ? 3_000 * KIBI : number % 2 == 0 ? 500 * KIBI : 24 * KIBI;
    return (int) (most / 2 + random % (most / 2));
  }

  /** Writes bytes of a version, from an offset on. */
  static void fill(int number, long version, long from, byte[] into, int count) {
    long seed = mix(number * 7_919L + version);
    long at = from;
    long word = mix(seed + at / Long.BYTES);
    for (int i = 0; i < count; i++, at++) {
      if (at % Long.BYTES == 0) {
        word = mix(seed + at / Long.BYTES);
      }
      into[i] = (byte) (word >>> (Byte.SIZE * (at % Long.BYTES)));
    }
  }

  /** Scatters a number over the positive ones (SplitMix64). */
  private static long mix(long number) {
    long z = number * 0x9e3779b97f4a7c15L + 0x632be59bd9b4e019L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return (z ^ (z >>> 31)) & Long.MAX_VALUE;
  }
}
