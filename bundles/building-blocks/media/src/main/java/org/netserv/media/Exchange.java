// SPDX-License-Identifier: Apache-2.0
package org.netserv.media;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;

/**
 * The bytes of one run, between a module's streams and the process. The host calls it on the thread
 * of the run; what it throws ends the process and is thrown by the run.
 */
final class Exchange {
  private static final int BUFFER = 1 << 16;

  private final InputStream from;
  private final OutputStream to;
  private final long most;
  private final BooleanSupplier alive;
  private final ByteBuffer input = ByteBuffer.allocateDirect(BUFFER);
  private final ByteBuffer output = ByteBuffer.allocateDirect(BUFFER);
  private final byte[] chunk = new byte[BUFFER];
  private long taken;

  /**
   * Joins streams.
   *
   * @param most bytes of output
   * @param alive returns false when the run is no longer wanted
   */
  Exchange(InputStream from, OutputStream to, long most, BooleanSupplier alive) {
    this.from = from;
    this.to = to;
    this.most = most;
    this.alive = alive;
  }

  ByteBuffer input() {
    return input;
  }

  ByteBuffer output() {
    return output;
  }

  /** Returns true if there was more output than is wanted. */
  boolean tooLong() {
    return taken > most;
  }

  long taken() {
    return taken;
  }

  /** Fills the input from its beginning. Returns the number of bytes, or -1 at the end. */
  int fill() {
    try {
      int count = from.read(chunk);
      if (count > 0) {
        input.put(0, chunk, 0, count);
      }
      return count;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Takes bytes from the beginning of the output. Returns false if they are too many. */
  boolean take(int count) {
    taken += count;
    if (tooLong()) {
      return false;
    }
    output.get(0, chunk, 0, count);
    try {
      to.write(chunk, 0, count);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return true;
  }

  /** Returns true while the run is wanted. */
  boolean wanted() {
    return alive.getAsBoolean() && !Thread.currentThread().isInterrupted();
  }
}
