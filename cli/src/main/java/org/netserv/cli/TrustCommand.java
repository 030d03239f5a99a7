// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "trust",
    description = "The certificates that bundles must chain to.",
    subcommands = TrustCommand.Add.class,
    footer = {"", "Example:  sudo netserv trust add example-ca example-ca.pem"})
final class TrustCommand extends CommandGroup {

  @Command(
      name = "add",
      description = "Trust bundles that are signed under a certificate.",
      footer = {"", "Example:  sudo netserv trust add example-ca example-ca.pem"})
  static final class Add extends JsonCommand {
    @Mixin Paths paths;

    @Parameters(index = "0", paramLabel = "NAME", description = "What this node calls it.")
    String name;

    @Parameters(index = "1", paramLabel = "PEM", description = "The certificate.")
    Path pem;

    @Override
    public Integer call() throws Exception {
      String text = Files.readString(pem);
      String done = PolicyFiles.change(paths, writer -> writer.addAnchor(name, text));
      emit(
          MAPPER.createObjectNode().put("anchor", name).put("done", done),
          () -> out().println(name + " is trusted; " + done));
      return ExitCode.DONE;
    }
  }
}
