// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.io.IOException;
import java.nio.file.Files;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.policy.NodePolicy;
import org.netserv.policy.PolicyException;
import org.netserv.policy.PolicyWriter;

/** Reads and writes a node's policy files, and tells a running node that they have changed. */
final class PolicyFiles {
  /** One change of the files. */
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

  /**
   * Writes a change, then has the node reload. Without a running node, writing the files is enough.
   */
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
