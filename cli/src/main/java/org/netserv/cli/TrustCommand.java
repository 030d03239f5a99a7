// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import org.netserv.artifact.CertificatePurpose;
import org.netserv.artifact.Certificates;
import org.netserv.artifact.refusal.VerifyException;
import org.netserv.command.CommandException;
import org.netserv.command.CommandGroup;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
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
      require(text);
      String done = PolicyFiles.change(paths, writer -> writer.addAnchor(name, text));
      emit(
          MAPPER.createObjectNode().put("anchor", name).put("done", done),
          () -> out().println(name + " is trusted; " + done));
      return ExitCode.DONE;
    }

    /**
     * Refuses an anchor under which nothing can be signed, because trust in it would be useless.
     */
    private void require(String text) throws CommandException {
      String field = "PEM: " + pem + ": ";
      try {
        List<X509Certificate> certificates = Certificates.readPem(text);
        if (certificates.size() != 1) {
          throw new CommandException(
              ExitCode.USAGE, field + "one certificate is needed, not " + certificates.size());
        }
        CertificatePurpose.requireAnchor(certificates.get(0), Instant.now());
      } catch (IOException e) {
        throw new CommandException(ExitCode.USAGE, field + e.getMessage(), e);
      } catch (VerifyException e) {
        throw new CommandException(ExitCode.REFUSED, field + e.getMessage(), e);
      }
    }
  }
}
