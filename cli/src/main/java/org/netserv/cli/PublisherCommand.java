// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import org.netserv.command.CommandGroup;
import picocli.CommandLine.Command;

@Command(
    name = "publisher",
    description = "Who may run modules on this node.",
    subcommands = {
      PublisherAdd.class,
      PublisherList.class,
      PublisherRevoke.class,
      PublisherResetSeq.class
    },
    footer = {"", "Example:  netserv publisher list"})
final class PublisherCommand extends CommandGroup {}
