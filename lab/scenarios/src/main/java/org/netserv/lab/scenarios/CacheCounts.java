// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/** The requests that a client of memcached has counted by time, partition and server. */
final class CacheCounts {
  /** Milliseconds of a tick. */
  static final int TICK = 100;

  /**
   * Requests of a tick, which count for the server that answered first.
   *
   * @param server its address; {@code none} for requests without an answer
   * @param lost datagrams without an answer
   */
  record Row(int tick, int partition, String server, long requests, long lost) {}

  private final List<Row> rows;

  private CacheCounts(List<Row> rows) {
    this.rows = rows;
  }

  static CacheCounts read(Path file) throws IOException {
    List<Row> rows = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      String[] word = line.split(" ", -1);
      rows.add(
          new Row(
              Integer.parseInt(word[0]),
              Integer.parseInt(word[1]),
              word[2],
              Long.parseLong(word[3]),
              Long.parseLong(word[4])));
    }
    return new CacheCounts(rows);
  }

  List<Row> rows() {
    return rows;
  }

  /** Returns the counts of the ticks from {@code from} on, without {@code to}. */
  CacheCounts between(int from, int to) {
    return new CacheCounts(
        rows.stream().filter(row -> row.tick() >= from && row.tick() < to).toList());
  }

  long requests(Predicate<Row> which) {
    return sum(which, Row::requests);
  }

  long lost() {
    return sum(row -> true, Row::lost);
  }

  private long sum(Predicate<Row> which, ToLongFunction<Row> what) {
    return rows.stream().filter(which).mapToLong(what).sum();
  }
}
