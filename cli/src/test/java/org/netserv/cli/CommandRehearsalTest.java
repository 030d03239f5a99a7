// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that {@link CommandRehearsal} writes. */
final class CommandRehearsalTest {
  @Test
  void itWritesAKeyAndNothingElse(@TempDir Path directory) throws IOException {
    CommandRehearsal.run(directory);

    try (Stream<Path> files = Files.list(directory)) {
      List<String> names = files.map(file -> file.getFileName().toString()).sorted().toList();
      assertEquals(List.of("rehearsal.crt", "rehearsal.key", "rehearsal.pub"), names);
    }
  }
}
