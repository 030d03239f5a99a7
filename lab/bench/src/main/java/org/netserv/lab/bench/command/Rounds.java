// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.command;

import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import picocli.CommandLine.Option;

/** The option {@code --rounds} of a measurement. */
final class Rounds {
  private static final int MOST = 100;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "How often each is measured (default: ${DEFAULT-VALUE}).")
  private int number;

  /**
   * Makes the option.
   *
   * @param number the rounds without it
   */
  Rounds(int number) {
    this.number = number;
  }

  /** Returns the number of rounds, or refuses a number that is out of range. */
  int number() throws CommandException {
    if (number < 1 || number > MOST) {
      throw new CommandException(ExitCode.USAGE, "--rounds is from 1 to " + MOST);
    }
    return number;
  }
}
