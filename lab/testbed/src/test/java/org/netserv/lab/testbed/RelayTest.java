// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.Shell;

/** Checks the relay's decisions without a network. */
final class RelayTest {
  @TempDir static Path directory;

  @BeforeAll
  static void build() throws IOException {
    NativeTools.build(directory);
  }

  private static String relay(String... options) throws IOException {
    List<String> command = new java.util.ArrayList<>();
    command.add(directory.resolve("lab-relay").toString());
    command.addAll(List.of(options));
    return Shell.run(command);
  }

  private static long count(String text, String word) {
    return text.lines().filter(line -> line.contains(word)).count();
  }

  @Test
  void theSameSeedDecidesTheSame() throws Exception {
    String[] options = {
      "--seed=7",
      "--loss=0.1",
      "--delay=20",
      "--jitter=5",
      "--reorder=0.1",
      "--duplicate=0.1",
      "--dry-run=5000"
    };
    String first = relay(options);
    assertEquals(first, relay(options));
    assertEquals(5000, first.lines().count());
    options[0] = "--seed=8";
    assertNotEquals(first, relay(options));
  }

  @Test
  void probabilitiesAreMet() throws Exception {
    String text =
        relay("--seed=1", "--loss=0.1", "--reorder=0.2", "--duplicate=0.3", "--dry-run=10000");
    long lost = count(text, "lost");
    assertTrue(lost > 900 && lost < 1100, lost + " lost");
    assertTrue(Math.abs(count(text, "reordered") - 2000) < 200, "reordered");
    assertTrue(Math.abs(count(text, "doubled") - 3000) < 250, "doubled");
  }

  @Test
  void oneImpairmentLeavesTheOthersDecisionsAlone() throws Exception {
    String loss = relay("--seed=3", "--loss=0.1", "--dry-run=1000");
    String both = relay("--seed=3", "--loss=0.1", "--delay=5", "--jitter=2", "--dry-run=1000");
    assertEquals(
        loss.lines().map(line -> line.contains("lost")).toList(),
        both.lines().map(line -> line.contains("lost")).toList());
  }

  @Test
  void jitterKeepsTheOrderAndReorderingBreaksIt() throws Exception {
    assertEquals(0, inversions(relay("--seed=5", "--delay=20", "--jitter=50", "--dry-run=2000")));
    assertTrue(
        inversions(relay("--seed=5", "--delay=20", "--reorder=0.1", "--dry-run=2000")) > 100);
  }

  private static long inversions(String text) {
    long last = 0;
    long inversions = 0;
    for (String line : text.lines().toList()) {
      long due = Long.parseLong(line.substring(line.indexOf("due=") + 4));
      inversions += due < last ? 1 : 0;
      last = due;
    }
    return inversions;
  }

  @Test
  void wrongOptionsAreNamed() {
    for (String wrong : List.of("--loss=2", "--loss=x", "--delay=-1", "--jitter=nan", "--loss=")) {
      LabException e = assertThrows(LabException.class, () -> relay(wrong, "--dry-run=1"));
      assertTrue(e.getMessage().contains("status 2"), e.getMessage());
      assertTrue(e.getMessage().contains(wrong.substring(0, wrong.indexOf('='))), e.getMessage());
    }
  }
}
