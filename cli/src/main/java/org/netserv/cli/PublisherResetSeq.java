// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.command.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "reset-seq",
    description = {
      "Forget the last sequence numbers (seq, milliseconds since 1970) of a publisher.",
      "For a publisher whose clock was ahead, and who is refused with 409 seq."
    },
    footer = {"", "Example:  sudo netserv publisher reset-seq janedoe NetServ.apps.KeepAlive"})
final class PublisherResetSeq extends JsonCommand {
  @Mixin Paths paths;

  @Parameters(index = "0", paramLabel = "NAME", description = "The publisher.")
  String name;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "MODULE",
      description = "Bundle symbolic name, or '*' for what REMOVE * left (default: all).")
  String module;

  @Override
  public Integer call() throws Exception {
    ObjectNode request = AdminClient.request("reset-seq").put("publisher", name);
    if (module != null) {
      request.put("module", module);
    }
    ObjectNode reply = AdminClient.ask(paths, request, AdminClient.SHORT);
    emit(reply, () -> out().println("forgotten: " + Table.printable(reply.path("modules") + "")));
    return ExitCode.DONE;
  }
}
