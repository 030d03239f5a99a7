// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.io.IOException;
import java.nio.file.Files;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.policy.NodePolicy;
import org.netserv.policy.PolicyException;
import org.netserv.policy.PolicyWriter;

/** A node's policy files, and the word to a running node that they have changed. */
final class PolicyFiles {
  /** One change. */
  interface Change {
    void apply(PolicyWriter writer) throws PolicyException, IOException;
  }

  private PolicyFiles() {}

  static NodePolicy load(Paths paths) throws CommandException {
    try {
      return NodePolicy.load(paths.etc());
    } catch (PolicyException e) {
      throw new CommandException(ExitCode.REFUSED, e.getMessage(), e);
    }
  }

  /** Writes, then has the node reload; without a running node the files are all there is to do. */
  static String change(Paths paths, Change change) throws CommandException {
    try {
      Files.createDirectories(paths.etc());
      change.apply(new PolicyWriter(paths.etc()));
    } catch (PolicyException e) {
      throw new CommandException(ExitCode.REFUSED, e.getMessage(), e);
    } catch (IOException e) {
      throw new CommandException(ExitCode.USAGE, "cannot write below " + paths.etc() + ": " + e, e);
    }
    if (!Files.exists(paths.adminSocket())) {
      return "no node is running; it will read this when it starts";
    }
    AdminClient.ask(paths, AdminClient.request("reload"), AdminClient.SHORT);
    return "the running node has reloaded its policy";
  }
}
