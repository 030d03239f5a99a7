// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.command.CommandException;
import picocli.CommandLine;

class RoundsTest {
  private final CommandLine bench = new CommandLine(new BenchCommand());

  private Rounds rounds(String... arguments) {
    bench.parseArgs(arguments);
    CommandLine command = bench.getSubcommands().get(arguments[0]);
    return (Rounds) command.getCommandSpec().mixins().get("rounds").userObject();
  }

  @ParameterizedTest
  @CsvSource({"media-relay,7", "keepalive,7", "overload,7", "containers,3"})
  void eachMeasurementHasItsOwnPreset(String name, int preset) throws CommandException {
    assertEquals(preset, rounds(name).number());
    String usage = bench.getSubcommands().get(name).getUsageMessage();
    assertTrue(usage.contains("(default: " + preset + ")"), usage);
  }

  @Test
  void theOptionReplacesThePreset() throws CommandException {
    assertEquals(1, rounds("overload", "--rounds", "1").number());
    assertEquals(100, rounds("containers", "--rounds", "100").number());
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "0", "101"})
  void aNumberOutOfRangeIsRefused(String number) {
    Rounds rounds = rounds("keepalive", "--rounds", number);
    CommandException refusal = assertThrows(CommandException.class, rounds::number);
    assertEquals("--rounds is from 1 to 100", refusal.getMessage());
  }
}
