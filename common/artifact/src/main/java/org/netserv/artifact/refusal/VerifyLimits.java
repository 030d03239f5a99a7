// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.refusal;

/**
 * Bounds on the verifier's work for one bundle. They hold while inflating, not after it.
 *
 * @param fileBytes of the whole file
 * @param entries number of entries
 * @param entryBytes of one entry, inflated
 * @param totalBytes of all entries together, inflated
 * @param ratio inflated bytes per compressed byte; checked from {@link #RATIO_FROM} bytes on,
 *     because tiny texts compress well
 */
public record VerifyLimits(
    long fileBytes, int entries, long entryBytes, long totalBytes, int ratio) {
  /** Smallest inflated size of an entry that can be a bomb. */
  public static final int RATIO_FROM = 64 * 1024;

  private static final long HIGHEST = 1L << 30;

  /** 16 MiB files, 4096 entries, 16 MiB each, 64 MiB together, ratio 100. */
  public static final VerifyLimits DEFAULT =
      new VerifyLimits(16L << 20, 4096, 16L << 20, 64L << 20, 100);

  public VerifyLimits {
    if (fileBytes < 1 || entries < 1 || entryBytes < 1 || totalBytes < 1 || ratio < 1) {
      throw new IllegalArgumentException("limits are positive");
    }
    if (fileBytes > HIGHEST || entryBytes > HIGHEST) {
      throw new IllegalArgumentException("a file and an entry must fit into memory: at most 1 GiB");
    }
  }

  /** The same with another bound on the file. */
  public VerifyLimits withFileBytes(long bytes) {
    return new VerifyLimits(bytes, entries, entryBytes, totalBytes, ratio);
  }
}
