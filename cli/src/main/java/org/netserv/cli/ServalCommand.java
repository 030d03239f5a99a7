// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import org.netserv.command.CommandGroup;
import picocli.CommandLine.Command;

@Command(
    name = "serval",
    description = {
      "Names instead of addresses for the programs of this host, as they are.",
      "Sets the host up, looks into it, changes its services (docs/serval-host-guide.md)."
    },
    subcommands = {
      ServalHostCommand.class,
      ServalServices.class,
      ServalFlows.class,
      ServalNames.class,
      ServalResolve.class,
      ServalRegister.class,
      ServalUnregister.class,
      ServalMigrate.class,
      ServalWhy.class,
      ServalOrder.class,
      ServalController.class
    },
    footer = {"", "Example:  netserv serval why web.serval"})
final class ServalCommand extends CommandGroup {}
