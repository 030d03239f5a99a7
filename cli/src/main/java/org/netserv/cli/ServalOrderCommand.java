// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import picocli.CommandLine.Mixin;

/** A command that gives sald one order. */
abstract class ServalOrderCommand extends JsonCommand {
  @Mixin ServalOptions options;

  /** Carries out an order, and prints the reply's pairs or a text. */
  final Integer order(String verb, Map<String, String> pairs, String text) throws CommandException {
    ObjectNode reply = options.sald().order(verb, pairs);
    emit(reply.put("done", true), () -> out().println(text));
    return ExitCode.DONE;
  }

  static void putIfThere(Map<String, String> pairs, String key, String value) {
    if (value != null) {
      pairs.put(key, value);
    }
  }
}
