// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tells how busy the machine is, in steps too coarse to watch its guests by. Each question reads
 * the kernel's {@code loadavg} and {@code meminfo} anew. The answer is empty when the kernel does
 * not tell.
 */
public final class HostLoad {
  private static final Pattern LOAD = Pattern.compile("(\\d{1,6}\\.\\d{1,3}) .*", Pattern.DOTALL);
  private static final Pattern AVAILABLE =
      Pattern.compile("^MemAvailable: +(\\d{1,15}) kB$", Pattern.MULTILINE);
  private static final double BUSY = 0.5;

  private final Path proc;

  /**
   * Reads nothing yet.
   *
   * @param proc {@code /proc}
   */
  public HostLoad(Path proc) {
    this.proc = proc;
  }

  /**
   * Returns the mean of the last minute. It is {@code low} when less than half a task a processor
   * wants to run, {@code medium} below a whole task, else {@code high}.
   */
  Optional<String> load(int processors) {
    Matcher average = LOAD.matcher(text("loadavg"));
    if (!average.matches()) {
      return Optional.empty();
    }
    double each = Double.parseDouble(average.group(1)) / processors;
    return Optional.of(each < BUSY ? "low" : each < 1 ? "medium" : "high");
  }

  /**
   * Returns the MiB that new processes could have, rounded down to a power of two; 0 = less than
   * one.
   */
  OptionalLong memory() {
    Matcher available = AVAILABLE.matcher(text("meminfo"));
    if (!available.find()) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(Long.highestOneBit(Long.parseLong(available.group(1)) / 1024));
  }

  private String text(String name) {
    try {
      return Files.readString(proc.resolve(name), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      return "";
    }
  }
}
