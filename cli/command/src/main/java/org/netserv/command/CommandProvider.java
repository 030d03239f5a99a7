// SPDX-License-Identifier: Apache-2.0
package org.netserv.command;

import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;

/**
 * Adds commands to {@code netserv}. The command line finds providers with {@link
 * java.util.ServiceLoader}, so that it needs no class of the lab, which an installed node lacks.
 */
public interface CommandProvider {

  /** Returns the commands, each with its sub-commands. */
  List<CommandLine> commands(Preflight preflight);

  /** A check of this machine before a command starts nodes on it. */
  @FunctionalInterface
  interface Preflight {
    /**
     * Prints the warnings and failures of this machine if a failure rules a node out.
     *
     * @throws CommandException if this machine cannot run a node
     */
    void check(PrintWriter err) throws CommandException;
  }
}
