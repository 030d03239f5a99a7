// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import org.netserv.command.CommandGroup;
import picocli.CommandLine.Command;

@Command(
    name = "host",
    description = "Make this machine an end of Serval for unchanged programs, and undo it.",
    subcommands = {ServalHostUp.class, ServalHostDown.class, ServalHostStatus.class},
    footer = {"", "Example:  sudo netserv serval host up --interface eth0"})
final class ServalHostCommand extends CommandGroup {}
