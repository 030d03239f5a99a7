// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import org.netserv.command.CommandGroup;
import picocli.CommandLine.Command;

@Command(
    name = "node",
    description = "Run a node, and look into a running one.",
    subcommands = {
      NodeRun.class,
      NodeStatus.class,
      NodeTop.class,
      NodeTalkers.class,
      NodeLogs.class,
      NodeTrace.class,
      NodeWhy.class,
      NodeRelease.class
    },
    footer = {"", "Example:  netserv node status"})
final class NodeCommand extends CommandGroup {}
