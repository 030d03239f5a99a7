// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import org.netserv.command.CommandGroup;
import picocli.CommandLine.Command;

@Command(
    name = "trigger",
    description = {
      "Have the last node on the path to a user send a message along a path of its own:",
      "for the way back, where it is not the way there."
    },
    footer = {
      "",
      "Example:  netserv trigger probe node --to 198.51.100.7 --back-to 192.0.2.10 \\",
      "            --user janedoe --key janedoe.key"
    },
    subcommands = {TriggerSetup.class, TriggerRemove.class, TriggerProbe.class})
final class TriggerCommand extends CommandGroup {}
