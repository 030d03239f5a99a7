// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.doctor;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Judges the spawner's loop of a running node. Nothing in the loop may take more than 10 ms,
 * because meanwhile a dead pktio is not seen and its packets stay in the queue.
 */
public final class LoopCheck {
  private static final String CHECK = "spawner-loop";

  private LoopCheck() {}

  /**
   * Examines the times of the loop that the node measured.
   *
   * @param loop {@code spawnerLoop} of the node's status
   */
  public static Finding examine(JsonNode loop) {
    if (!loop.has("turnsOver10ms")) {
      return Finding.warn(
          CHECK, "the node's spawner does not answer", "look at the spawner's log: node logs");
    }
    long over = loop.path("turnsOver10ms").asLong();
    String slowest =
        "slowest turn "
            + loop.path("slowestMicros").asLong() / 1000.0
            + " ms ("
            + loop.path("slowestWork").asText()
            + ")";
    return over == 0
        ? Finding.ok(CHECK, slowest)
        : Finding.warn(
            CHECK,
            over + " turns over 10 ms, " + slowest,
            "give the machine a faster disk or processor if this number grows; packets wait that"
                + " long when a pktio dies");
  }
}
