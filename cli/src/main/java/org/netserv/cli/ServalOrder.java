// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.netserv.cli.serval.Sald;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "order",
    description = {
      "Give sald any of its orders (docs/protocols/sald.md).",
      "Those without a command of their own are forward, unforward, drop, undrop, name, unname,",
      "router, drain and resume. An order lasts as long as this sald. Those of the file of `host up`",
      "come back."
    },
    footer = {
      "",
      "Example:  sudo netserv serval order name name=web.serval id=00004001",
      "          sudo netserv serval order forward id=default to=192.0.2.1"
    })
final class ServalOrder extends ServalOrderCommand {
  @Parameters(index = "0", paramLabel = "VERB", description = "The order.")
  String verb;

  @Parameters(index = "1..*", paramLabel = "KEY=VALUE", description = "Its values.")
  List<String> words = List.of();

  @Override
  public Integer call() throws CommandException {
    Map<String, String> pairs = new LinkedHashMap<>();
    for (String word : words) {
      int equals = word.indexOf('=');
      if (equals < 1) {
        throw new CommandException(ExitCode.USAGE, "'" + word + "' is no KEY=VALUE");
      }
      if (pairs.put(word.substring(0, equals), word.substring(equals + 1)) != null) {
        throw new CommandException(ExitCode.USAGE, word + ": the key is there twice");
      }
    }
    if (Sald.VIEWS.contains(verb) && pairs.isEmpty()) {
      JsonNode view = options.sald().view(verb);
      emit(view, () -> out().println(view.toPrettyString()));
      return ExitCode.DONE;
    }
    return order(verb, pairs, "done");
  }
}
