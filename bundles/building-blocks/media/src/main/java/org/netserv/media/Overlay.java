// SPDX-License-Identifier: Apache-2.0
package org.netserv.media;

/**
 * The work of one run: a picture over a video, which is encoded anew as H.264. The sound stays as
 * it is.
 *
 * @param input format of the video that comes in
 * @param output format of the video that goes out
 * @param corner place of the picture
 * @param x pixels between picture and corner, 0 to 8192
 * @param y likewise
 * @param keyframeSeconds time between key frames, 1 to 60. A segment of a stream can begin at each.
 * @param seconds time after which the node ends the process, 1 to 3600
 */
public record Overlay(
    MediaFormat input,
    MediaFormat output,
    Corner corner,
    int x,
    int y,
    int keyframeSeconds,
    int seconds) {
  private static final int FFMPEG = 1;
  private static final int PIXELS = 8192;
  private static final int KEYFRAME = 60;
  private static final int SECONDS = 3600;

  public Overlay {
    within("x", x, 0, PIXELS);
    within("y", y, 0, PIXELS);
    within("keyframeSeconds", keyframeSeconds, 1, KEYFRAME);
    within("seconds", seconds, 1, SECONDS);
  }

  private static void within(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + ": " + value + " is not between " + least + " and " + most);
    }
  }

  /** Returns the numbers of the order, as {@code ns_program.h} has them. */
  int[] numbers() {
    return new int[] {
      FFMPEG, seconds, input.number(), output.number(), corner.number(), x, y, keyframeSeconds
    };
  }
}
