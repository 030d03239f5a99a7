// SPDX-License-Identifier: Apache-2.0
package org.netserv.media;

/** A container format of video. The numbers equal the ones of {@code ns_program.h}. */
public enum MediaFormat {
  /**
   * MP4. As input it has its index before its media, as a file for the web has. As output it comes
   * in fragments, which play while they arrive.
   */
  MP4(1),
  /** A transport stream. */
  MPEG_TS(2);

  private final int number;

  MediaFormat(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }
}
