// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "remove",
    description = "Take a module away again; '*' takes all of the publisher's.",
    footer = {
      "",
      "Example:  netserv remove NetServ.apps.KeepAlive --to 198.51.100.7 \\",
      "            --user janedoe --key janedoe.key",
      "          netserv remove '*' --revoke 5f3a... --to 198.51.100.7 \\",
      "            --user janedoe --key janedoe.key"
    })
class RemoveCommand extends ModuleMessage {
  @Parameters(paramLabel = "MODULE", description = "Bundle-SymbolicName, or '*'.")
  String module;

  @Option(
      names = "--revoke",
      paramLabel = "LIST",
      description = {
        "With MODULE '*': remove no module of yours but revoke delegations, by serial number or",
        "key:ID, and drop their claims."
      })
  String revoke;

  @Option(
      names = "--notification",
      paramLabel = "URL",
      description = "XML-RPC endpoint called at the end state.")
  String notification;

  @Override
  public Integer call() throws Exception {
    if (publisher() == null) {
      throw new CommandException(
          ExitCode.USAGE, "--user: a REMOVE is always signed by its publisher");
    }
    ModuleNames.Parts name = ModuleNames.parse(module);
    Ncm.Builder message = Ncm.builder(Method.REMOVE, name.symbolicName()).version(name.version());
    if (notification != null) {
      message.set(Header.NOTIFICATION, notification);
    }
    if (revoke != null) {
      message.set(Header.REVOKE, revoke);
    }
    return deliver(message, true);
  }
}
