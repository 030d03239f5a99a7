// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.zip;

/**
 * One entry of an archive.
 *
 * @param name ends in '/' for a directory
 * @param content not copied, so the holder of the item must not write to it
 * @param time MS-DOS date (high 16 bits) and time, as in the file
 */
@SuppressWarnings("ArrayRecordComponent") // a carrier between reader and user, never compared
public record ZipItem(String name, byte[] content, int time) {
  /** 1980-01-01 00:00, the earliest time of the format. */
  public static final int EPOCH = 0x00210000;

  public boolean directory() {
    return name.endsWith("/");
  }
}
