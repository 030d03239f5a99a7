// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.Wait;

/** A download by curl under way, and the times at which its file has grown. */
final class Download implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long NANOS_PER_MILLI = 1_000_000;

  /** When the file had how many bytes. */
  private record Size(long nanos, long bytes) {}

  private final Process process;
  private final Path file;
  private final List<Size> sizes = new ArrayList<>();
  private final Thread watcher;
  private volatile boolean ended;

  private Download(Process process, Path file) {
    this.process = process;
    this.file = file;
    this.watcher = new Thread(this::watch, "download-watch");
  }

  /**
   * Starts a download.
   *
   * @param command runs curl, which writes to the file
   */
  static Download start(Testbed testbed, String node, List<String> command, Path file)
      throws IOException {
    Files.deleteIfExists(file);
    Process process = testbed.spawn(node, testbed.unique("curl"), command);
    Download download = new Download(process, file);
    download.watcher.start();
    return download;
  }

  private void watch() {
    long last = 0;
    while (!ended) {
      try {
        long now = Files.exists(file) ? Files.size(file) : 0;
        if (now != last) {
          synchronized (sizes) {
            sizes.add(new Size(System.nanoTime(), now));
          }
          last = now;
        }
        Thread.sleep(1);
      } catch (IOException | InterruptedException e) {
        return; // the times that are missing are told by the one who asks for them
      }
    }
  }

  /** Waits until that many bytes have come. */
  void await(long bytes) throws IOException {
    Wait.until(
        bytes + " bytes",
        PATIENCE,
        () -> {
          if (!process.isAlive()) {
            throw new LabException("curl ended with status " + process.exitValue());
          }
          return Files.exists(file) && Files.size(file) >= bytes;
        });
  }

  /** Waits for the end, and returns curl's exit status. */
  int end() throws IOException {
    try {
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        throw new LabException("curl is not done in " + PATIENCE.toSeconds() + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LabException("interrupted");
    }
    return process.exitValue();
  }

  /** Returns the bytes that had come at a time. */
  long bytesAt(long nanos) {
    synchronized (sizes) {
      return sizes.stream()
          .filter(size -> size.nanos() <= nanos)
          .mapToLong(Size::bytes)
          .max()
          .orElse(0);
    }
  }

  /** Returns when the last bytes came, in nanoseconds. */
  long last() {
    synchronized (sizes) {
      return sizes.get(sizes.size() - 1).nanos();
    }
  }

  /** Returns the milliseconds from a time to the first growth behind it; -1 if there is none. */
  long growsAfter(long nanos) {
    synchronized (sizes) {
      return sizes.stream()
          .filter(size -> size.nanos() > nanos)
          .findFirst()
          .map(size -> (size.nanos() - nanos) / NANOS_PER_MILLI)
          .orElse(-1L);
    }
  }

  /** Returns the longest time without growth within so many milliseconds behind a time. */
  long longestGap(long nanos, long millis) {
    long longest = 0;
    long before = nanos;
    synchronized (sizes) {
      for (Size size : sizes) {
        if (size.nanos() > nanos && size.nanos() <= nanos + millis * NANOS_PER_MILLI) {
          longest = Math.max(longest, size.nanos() - before);
          before = size.nanos();
        }
      }
    }
    return longest / NANOS_PER_MILLI;
  }

  @Override
  public void close() {
    ended = true;
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
