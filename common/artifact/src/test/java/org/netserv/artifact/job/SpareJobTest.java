// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A job that waits: it warms up, leaves nothing that could be taken for a result, and waits. */
class SpareJobTest {
  @TempDir private Path directory;
  private final List<Exception> cold = new ArrayList<>();

  private boolean await(byte... input) throws IOException {
    return new SpareJob(directory, new ByteArrayInputStream(input), cold::add).await();
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void aByteIsAnOrder() throws Exception {
    assertTrue(await((byte) '1'));
    assertEquals(List.of(), cold, "it has warmed up");
    assertEquals(List.of(SpareJob.READY), files(), "no result of the warm-up is left");
  }

  @Test
  void theEndOfTheInputIsNone() throws Exception {
    assertFalse(await());
  }

  @Test
  void aJobThatStaysColdWaitsAllTheSame() throws Exception {
    Files.createFile(directory.resolve("warm-up"));
    assertTrue(await((byte) '1'));
    assertEquals(1, cold.size());
  }
}
