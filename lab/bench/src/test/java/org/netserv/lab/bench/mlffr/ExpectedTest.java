// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;

class ExpectedTest {
  private static final String MACHINE = "linux-6.12 jdk-21";

  @Test
  void takesTheRowsOfThisMachineAlone() throws LabException {
    String text =
        """
        # a comment
        linux-6.12 jdk-21 java 13956   # another

        linux-6.12 jdk-21 ring 12979
        linux-6.1 jdk-17 java 14001
        """;
    assertEquals(Map.of("java", 13956L, "ring", 12979L), Expected.parse(MACHINE, text).rows());
    assertEquals(Map.of(), Expected.parse("linux-6.18 jdk-17", text).rows());
  }

  @Test
  void refusesALineThatIsNoRow() {
    for (String line :
        new String[] {
          "linux-6.12 jdk-21 java",
          "linux-6.12 jdk-21 java 0",
          "linux-6.12 jdk-21 java -5",
          "linux-6.12 jdk-21 java 99999999999",
          "6.12 21 java 5"
        }) {
      LabException refused = assertThrows(LabException.class, () -> Expected.parse(MACHINE, line));
      assertEquals(
          "expected/instructions.txt: not KERNEL JDK ROW INSTRUCTIONS: " + line,
          refused.getMessage());
    }
  }

  @Test
  void theProjectsFileIsRead() throws IOException {
    Expected.parse(MACHINE, Files.readString(LabHome.file("expected/instructions.txt")));
  }
}
