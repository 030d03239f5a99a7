// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.base;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Runs short programs of the system (ip, iptables, sysctl) to their end. */
public final class Shell {
  private static final long SECONDS = 60;

  private Shell() {}

  /**
   * Runs a program and returns its standard output and standard error.
   *
   * @throws LabException if its status is not 0 or it takes longer than a minute
   */
  public static String run(List<String> command) throws IOException {
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectInput(DEV_NULL).start();
    CompletableFuture<String> output =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
              } catch (IOException e) {
                return "";
              }
            });
    try {
      if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new LabException(String.join(" ", command) + ": not done in " + SECONDS + " s");
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new LabException(String.join(" ", command) + ": interrupted");
    }
    String text = output.join();
    if (process.exitValue() != 0) {
      throw new LabException(
          String.join(" ", command) + ": status " + process.exitValue() + ": " + text.strip());
    }
    return text;
  }

  public static String run(String... command) throws IOException {
    return run(List.of(command));
  }

  /** Input for programs that must read nothing. */
  public static final ProcessBuilder.Redirect DEV_NULL =
      ProcessBuilder.Redirect.from(new java.io.File("/dev/null"));
}
