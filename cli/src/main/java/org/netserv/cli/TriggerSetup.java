// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.ncm.Ncm;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "setup",
    description = "Have the last node on the path to --to send a SETUP toward --back-to.",
    footer = {
      "",
      "Example:  netserv trigger setup NetServ.apps.KeepAlive_0.1.0 --to 198.51.100.7 \\",
      "            --back-to 192.0.2.10 --user janedoe --key janedoe.key \\",
      "            --url http://192.0.2.10/keepalive.jar --bundle keepalive.jar --ttl 3600 \\",
      "            --filter-port 5060 --filter-proto udp"
    })
final class TriggerSetup extends SetupCommand {
  @Mixin TriggerOptions trigger;

  @Override
  int deliver(Ncm.Builder message, boolean numbered) throws CommandException {
    if (!sealed.isEmpty()) {
      throw new CommandException(
          ExitCode.USAGE, "--sealed: a TRIGGER does not know the nodes that its SETUP will meet");
    }
    return trigger.deliver(this, message);
  }
}
