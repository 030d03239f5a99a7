// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import picocli.CommandLine.Command;

@Command(
    name = "policy",
    description = "What this node grants, and why.",
    subcommands = {PolicyCheck.class, PolicyExplain.class, PolicyImport.class})
final class PolicyCommand extends CommandGroup {}
