// SPDX-License-Identifier: Apache-2.0
package org.netserv.command;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that only holds sub-commands; by itself it prints its help. */
@Command(mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND")
public abstract class CommandGroup implements Callable<Integer> {
  @Spec protected CommandSpec spec;

  @Override
  public final Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return ExitCode.USAGE;
  }
}
