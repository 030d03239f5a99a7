// SPDX-License-Identifier: Apache-2.0
package org.netserv.media;

/** A corner of the video. The numbers equal the ones of {@code ns_program.h}. */
public enum Corner {
  TOP_LEFT(0),
  TOP_RIGHT(1),
  BOTTOM_LEFT(2),
  BOTTOM_RIGHT(3);

  private final int number;

  Corner(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }
}
