// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

/** Finds losses by acknowledgements that repeat themselves (RFC 6582), for a peer without SACK. */
final class DuplicateAcknowledgements {
  private static final int MOST = 3; // DupThresh

  private final Scoreboard scoreboard;
  private final Recovery recovery;
  private int count;

  DuplicateAcknowledgements(Scoreboard scoreboard, Recovery recovery) {
    this.scoreboard = scoreboard;
    this.recovery = recovery;
  }

  /** An acknowledgement of more than before. In a recovery it shows the next loss. */
  void advanced() {
    count = 0;
    if (recovery.isActive()) {
      scoreboard.loseFirst();
    }
  }

  /**
   * The same acknowledgement again, without data and with the same window.
   *
   * @param una first sequence number that is not acknowledged
   * @param next first one that was not sent
   */
  void repeated(int una, int next) {
    if (!scoreboard.isEmpty() && ++count == MOST && !recovery.isActive()) {
      long sent = scoreboard.firstSent();
      scoreboard.loseFirst();
      recovery.lost(sent, una, next);
    }
  }

  void forget() {
    count = 0;
  }

  /** Returns the segments that have left the path by these acknowledgements. */
  int count() {
    return count;
  }
}
