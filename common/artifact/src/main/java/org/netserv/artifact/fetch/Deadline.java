// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.fetch;

import static org.netserv.artifact.fetch.FetchException.Reason.TIMEOUT;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The end of a request, redirects included. */
final class Deadline {
  private final long end;

  Deadline(int millis) {
    this.end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
  }

  boolean passed() {
    return end - System.nanoTime() <= 0;
  }

  /** The future's result, if it comes in time. */
  <T> T await(CompletableFuture<T> future)
      throws TimeoutException, ExecutionException, FetchException {
    try {
      return future.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FetchException(TIMEOUT, "interrupted", e);
    }
  }
}
