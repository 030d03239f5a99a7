// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import java.io.IOException;
import java.util.List;

/** Compiler threads of the Java virtual machines behind the queue. */
final class Compilers {
  private static final String NAME = "CompilerThre"; // the part of the name that the kernel keeps
  private static final long NEXT_TO_NOTHING = 2_000_000; // nanoseconds

  private final List<Reader.Worker> workers;
  private long before;

  Compilers(List<Reader.Worker> workers) throws IOException {
    this.workers = workers;
    before = nanos();
  }

  /**
   * Returns true if the compilers had nothing to do since the last call. A compiler thread that has
   * ended was at work.
   */
  boolean idle() throws IOException {
    long now = nanos();
    long worked = now - before;
    before = now;
    return worked >= 0 && worked < NEXT_TO_NOTHING;
  }

  private long nanos() throws IOException {
    return ThreadTimes.of(workers).of(NAME);
  }
}
