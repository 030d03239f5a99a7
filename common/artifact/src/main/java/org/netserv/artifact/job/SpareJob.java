// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.job;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.Reference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.function.Consumer;
import org.netserv.artifact.refusal.VerifyException;

/**
 * A job that waits for its order. It does the work of a job on a bundle of its own first, so that
 * the classes are loaded and the code is warm. Then it makes the file {@link #READY} and reads its
 * standard input. A byte means that the order is in the directory. The end of the input means that
 * nobody will come.
 */
final class SpareJob {
  /** The second argument of {@link JobMain} that makes a job wait. */
  static final String WORD = "spare";

  /** The file that tells that the job has warmed up. */
  static final String READY = "ready";

  private final Path directory;
  private final InputStream input;
  private final Consumer<Exception> cold;

  /**
   * Makes a spare job.
   *
   * @param input its standard input
   * @param cold hears the reason when it cannot warm up, and then the job is only slower
   */
  SpareJob(Path directory, InputStream input, Consumer<Exception> cold) {
    this.directory = directory;
    this.input = input;
    this.cold = cold;
  }

  /** Warms up and waits. Returns false if no order comes. Blocking. */
  boolean await() throws IOException {
    Object authorities = null;
    try {
      authorities = new WarmUp(directory.resolve("warm-up")).run();
    } catch (GeneralSecurityException | VerifyException | IOException | RuntimeException e) {
      cold.accept(e);
    }
    Files.createFile(directory.resolve(READY));
    try {
      return input.read() >= 0;
    } finally {
      Reference.reachabilityFence(authorities);
    }
  }
}
