// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.List;
import org.netserv.artifact.VerifiedBundle;
import org.netserv.artifact.refusal.VerifyException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.command.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "verify",
    description = "Hold a bundle against what every node asks of it.",
    footer = {"", "Example:  netserv bundle verify app-signed.jar --anchor janedoe.crt"})
final class BundleVerify extends JsonCommand {
  @Parameters(paramLabel = "JAR")
  Path jar;

  @Option(
      names = "--anchor",
      required = true,
      paramLabel = "FILE",
      description = "Certificate to trust, PEM; repeatable.")
  List<Path> anchors;

  @Override
  public Integer call() throws Exception {
    ObjectNode document = MAPPER.createObjectNode().put("file", jar.toString());
    try {
      VerifiedBundle bundle = Bundles.verify(jar, Bundles.certificates(anchors));
      document.put("good", true).put("module", bundle.symbolicName() + "_" + bundle.version());
      document.put("digest", bundle.sha256());
      emit(
          document,
          () ->
              out()
                  .println(
                      "good: "
                          + document.path("module").asText()
                          + ", signed by "
                          + Bundles.name(bundle.signer())));
      return ExitCode.DONE;
    } catch (VerifyException e) {
      document.put("good", false).put("reason", e.reason().name()).put("text", e.getMessage());
      emit(
          document,
          () -> out().println("refused: " + e.reason() + ": " + Table.printable(e.getMessage())));
      return ExitCode.REFUSED;
    }
  }
}
