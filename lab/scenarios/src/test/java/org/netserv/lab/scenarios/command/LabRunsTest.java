// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.command;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LabRunsTest {
  private static final Path TOPOLOGIES = Path.of("..", "topologies");

  static List<String> topologies() {
    return Stream.concat(LabRuns.SCENARIOS.values().stream(), LabRuns.QUICK.values().stream())
        .map(scenario -> scenario.get().topology())
        .distinct()
        .sorted()
        .toList();
  }

  /** Some scenarios take too long for the test, and would miss their file for weeks. */
  @ParameterizedTest
  @MethodSource("topologies")
  void theTopologyOfEachScenarioIsThere(String name) {
    assertTrue(Files.isRegularFile(TOPOLOGIES.resolve(name + ".yaml")), name);
  }
}
