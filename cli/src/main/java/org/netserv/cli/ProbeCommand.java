// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.util.List;
import java.util.Locale;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "probe",
    description = {
      "Ask nodes who they are, what they have and what they would grant: with --to those on the",
      "path to a user, without it the node on this machine.",
      "Without --user they answer as they answer a stranger."
    },
    footer = {"", "Example:  netserv probe node capabilities --to 198.51.100.7 --json"})
class ProbeCommand extends ModuleMessage {
  @Parameters(
      paramLabel = "KIND",
      arity = "0..*",
      description = "module, node, resources, capabilities, policy (default: node).")
  List<String> kinds = List.of("node");

  @Option(
      names = "--module",
      paramLabel = "NAME",
      defaultValue = "*",
      description = "Which module, for kind module.")
  String module;

  @Override
  public Integer call() throws Exception {
    ModuleNames.Parts name = ModuleNames.parse(module);
    Ncm.Builder message = Ncm.builder(Method.PROBE, name.symbolicName()).version(name.version());
    message.set(Header.PROBE, String.join(",", kinds).toLowerCase(Locale.ROOT));
    return deliver(message, false);
  }
}
