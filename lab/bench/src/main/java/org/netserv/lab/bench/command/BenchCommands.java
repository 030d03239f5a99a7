// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.command;

import java.util.List;
import org.netserv.command.CommandProvider;
import picocli.CommandLine;

/** The command {@code bench}. */
public final class BenchCommands implements CommandProvider {
  @Override
  public List<CommandLine> commands(Preflight preflight) {
    return List.of(new CommandLine(new BenchCommand()));
  }
}
