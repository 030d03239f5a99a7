// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.command.ExitCode;
import picocli.CommandLine;

/** The command line with and without a lab on the class path. */
final class SourceTreeCommandTest {

  @ParameterizedTest
  @CsvSource({
    "lab",
    "lab run path --only x",
    "lab exec node -- ip -br address",
    "demo --help",
    "bench mlffr"
  })
  void aMissingLabIsOneLineThatSaysWhereItIs(String words) {
    StringWriter said = new StringWriter();
    CommandLine command = Netserv.commandLine(List.of()).setErr(new PrintWriter(said));
    String[] arguments = words.split(" ", -1);
    assertEquals(ExitCode.USAGE, command.execute(arguments));
    assertEquals(
        "netserv: an installed node has no lab: '%s' needs the source tree; run it there as ./netserv %s%n"
            .formatted(arguments[0], arguments[0]),
        said.toString());
  }

  @Test
  void theHelpListsTheLabOnlyWhereItIs() {
    assertTrue(Netserv.commandLine().getUsageMessage().contains("\n  bench "));
    assertFalse(Netserv.commandLine(List.of()).getUsageMessage().contains("\n  bench "));
  }
}
