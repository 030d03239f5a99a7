// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.util.List;

/**
 * A change of the instances of a web service, and the time until the next one.
 *
 * @param places of the instances that change, from 0
 * @param left number of instances behind it
 * @param seconds until the next step, or the end
 * @param paper requests a second of the Serval paper's Figure 7 with as many instances; 0 = none
 */
record WebStep(Kind kind, List<Integer> places, int left, int seconds, int paper) {
  enum Kind {
    START("are there"),
    JOIN("joins"),
    LEAVE("gracefully leaves"),
    KILL("is killed");

    private final String text;

    Kind(String text) {
      this.text = text;
    }
  }

  /** The course of Figure 7 with 2, 4, 2, 3 instances, and a kill. */
  static final List<WebStep> FULL =
      List.of(
          new WebStep(Kind.START, List.of(0, 1), 2, 10, 80),
          new WebStep(Kind.JOIN, List.of(2), 3, 17, 0),
          new WebStep(Kind.JOIN, List.of(3), 4, 17, 160),
          new WebStep(Kind.LEAVE, List.of(2), 3, 6, 0),
          new WebStep(Kind.LEAVE, List.of(3), 2, 10, 80),
          new WebStep(Kind.JOIN, List.of(2), 3, 17, 120),
          new WebStep(Kind.KILL, List.of(2), 2, 8, 80));

  static final List<WebStep> QUICK =
      List.of(
          new WebStep(Kind.START, List.of(0, 1, 2), 3, 1, 120),
          new WebStep(Kind.JOIN, List.of(3), 4, 4, 160),
          new WebStep(Kind.LEAVE, List.of(0), 3, 2, 120),
          new WebStep(Kind.KILL, List.of(3), 2, 2, 80));

  String text() {
    String names = String.join(", ", places.stream().map(WebStep::name).toList());
    return names + " " + kind.text;
  }

  /** Returns the name of the instance at a place. */
  static String name(int place) {
    return "s" + (place + 1);
  }
}
