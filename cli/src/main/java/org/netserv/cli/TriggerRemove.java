// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import org.netserv.command.CommandException;
import org.netserv.ncm.Ncm;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "remove",
    description = "Have the last node on the path to --to send a REMOVE toward --back-to.",
    footer = {
      "",
      "Example:  netserv trigger remove NetServ.apps.KeepAlive --to 198.51.100.7 \\",
      "            --back-to 192.0.2.10 --user janedoe --key janedoe.key"
    })
final class TriggerRemove extends RemoveCommand {
  @Mixin TriggerOptions trigger;

  @Override
  int deliver(Ncm.Builder message, boolean numbered) throws CommandException {
    return trigger.deliver(this, message);
  }
}
