// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import org.netserv.command.CommandGroup;
import picocli.CommandLine.Command;

@Command(
    name = "policy",
    description = "What this node grants, and why.",
    subcommands = {PolicyCheck.class, PolicyExplain.class, PolicyImport.class},
    footer = {"", "Example:  netserv policy check"})
final class PolicyCommand extends CommandGroup {}
