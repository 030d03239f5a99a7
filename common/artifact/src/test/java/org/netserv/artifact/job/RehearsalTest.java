// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RehearsalTest {
  @TempDir private Path dir;

  /** It ends only if each of its jobs ended as it must. */
  @Test
  void fetchesVerifiesAndNotifies() throws Exception {
    Rehearsal.rehearse(dir);
    assertTrue(Files.exists(dir.resolve(JobResult.BUNDLE)), "of the fetch");
    assertEquals(200, JobResult.read(dir).status(), "of the notification, the last");
  }
}
