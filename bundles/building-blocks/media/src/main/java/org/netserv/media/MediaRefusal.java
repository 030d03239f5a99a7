// SPDX-License-Identifier: Apache-2.0
package org.netserv.media;

/** The reason for which there is no result. docs/reference/refusals.md lists them. */
public enum MediaRefusal {
  /** The publisher's policy on this node does not have {@code process: [ffmpeg]}. */
  NOT_GRANTED(1, "not-granted"),
  /** The spawner refuses a value. */
  ARGUMENTS(2, "arguments"),
  /** Another process of this container still runs. */
  BUSY(3, "busy"),
  /** The node has no ffmpeg, or others than root can write it. */
  NO_PROGRAM(4, "no-program"),
  /** A layer of isolation could not be entered. */
  NOT_STARTED(5, "not-started"),
  /** The time of the run was over. */
  DEADLINE(6, "deadline"),
  /** The module was stopped, or its transcoder closed. */
  CANCELLED(7, "cancelled"),
  /** The spawner does not answer. */
  NO_ANSWER(100, "no-answer"),
  /** The bundle's manifest does not have {@code NetServ-Process: ffmpeg}. */
  NOT_DECLARED(101, "not-declared"),
  /** The module does not run in a container. */
  NO_HOST(102, "no-host"),
  /** The result is longer than the module wants. */
  TOO_LONG(103, "too-long"),
  /** The process ended with an error. The exception has its words. */
  FAILED(104, "failed"),
  /** The process was killed: by the kernel for lack of memory, or by somebody. */
  KILLED(105, "killed");

  private final int number;
  private final String text;

  MediaRefusal(int number, String text) {
    this.number = number;
    this.text = text;
  }

  /** Returns the name in counters and pages. */
  public String text() {
    return text;
  }

  /** Returns the refusal of a number. A number that is not known is no answer. */
  static MediaRefusal of(int number) {
    for (MediaRefusal refusal : values()) {
      if (refusal.number == number) {
        return refusal;
      }
    }
    return NO_ANSWER;
  }
}
