// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.command.CommandException;
import org.netserv.lab.bench.serval.Part;
import picocli.CommandLine;

/** Checks the parts that {@code --only} selects. */
final class ServalCommandTest {
  @Test
  void withoutNamesAllPartsRun() throws CommandException {
    assertEquals(EnumSet.allOf(Part.class), ServalCommand.parts(List.of()));
  }

  @Test
  void namesSelectParts() throws CommandException {
    assertEquals(
        EnumSet.of(Part.MOVE, Part.ROUTER), ServalCommand.parts(List.of("move", "router")));
  }

  @Test
  void anUnknownNameIsRefused() {
    CommandException e =
        assertThrows(CommandException.class, () -> ServalCommand.parts(List.of("move", "nothing")));
    assertTrue(e.getMessage().contains(Part.all()), e::getMessage);
  }

  @Test
  void theHelpNamesAllParts() {
    String help = new CommandLine(new ServalCommand()).getUsageMessage().replaceAll("\\s+", " ");
    assertTrue(help.contains(Part.all()), help);
  }
}
