// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.doctor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The machine as the doctor sees it. A test replaces it by a machine of its own. */
public interface HostFacts {
  /** Returns the trimmed text of a small file; empty if it cannot be read. */
  Optional<String> read(String path);

  /** Returns the names in a directory; an empty list if there is none. */
  List<String> list(String path);

  /** Runs a program to its end. */
  Run run(String... command);

  /**
   * Exit status and all output of a program. Status 127 means that it could not be started, and 124
   * that it took longer than ten seconds.
   */
  record Run(int status, String output) {
    /** Returns the output in one line, or the exit status if there is no output. */
    public String line() {
      String text = output.strip().replace('\n', ' ');
      return text.isEmpty() ? "status " + status : text;
    }
  }

  /** Returns the facts of the machine that this process runs on. */
  static HostFacts local() {
    return new HostFacts() {
      @Override
      public Optional<String> read(String path) {
        try {
          return Optional.of(Files.readString(Path.of(path)).trim());
        } catch (IOException e) {
          return Optional.empty();
        }
      }

      @Override
      public List<String> list(String path) {
        try (Stream<Path> entries = Files.list(Path.of(path))) {
          return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
          return List.of();
        }
      }

      @Override
      public Run run(String... command) {
        try {
          Path output = Files.createTempFile("netserv-doctor", ".out");
          try {
            Process process =
                new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
              process.destroyForcibly();
              return new Run(124, "no end after 10 s");
            }
            return new Run(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
          } finally {
            Files.delete(output);
          }
        } catch (IOException e) {
          return new Run(127, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return new Run(124, "interrupted");
        }
      }
    };
  }
}
