// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import org.netserv.artifact.VerifiedBundle;
import org.netserv.artifact.refusal.VerifyException;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.command.Table;
import org.netserv.policy.NodePolicy;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "inspect",
    description = {
      "Tell a person what a signed bundle is: who signed it, what it asks for, what a look at its classes finds,",
      "and with --user whether this node's policy would grant it."
    },
    footer = {
      "",
      "Example:  netserv bundle inspect app-signed.jar --user janedoe --filter-port 5060 --filter-proto udp"
    })
final class BundleInspect extends JsonCommand {
  @Mixin Paths paths;
  @Mixin FilterOptions filter = new FilterOptions();

  @Parameters(paramLabel = "JAR")
  Path jar;

  @Option(
      names = "--anchor",
      paramLabel = "FILE",
      description = "Trust this certificate beside the node's; repeatable.")
  List<Path> anchors = List.of();

  @Option(names = "--user", paramLabel = "NAME", description = "Whose SETUP it would be.")
  String user;

  @Override
  public Integer call() throws Exception {
    NodePolicy policy = PolicyFiles.load(paths);
    List<X509Certificate> trusted = new ArrayList<>(Bundles.certificates(anchors));
    policy.anchors().values().forEach(anchor -> trusted.add(anchor.certificate()));
    VerifiedBundle bundle;
    try {
      bundle = Bundles.verify(jar, trusted);
    } catch (VerifyException e) {
      throw new CommandException(
          ExitCode.REFUSED,
          "no node with these "
              + trusted.size()
              + " trust anchors takes it: "
              + e.reason()
              + ": "
              + e.getMessage(),
          e);
    }
    Explanation explanation = explanation(policy, bundle);
    ObjectNode document = document(bundle);
    if (explanation != null) {
      document.set("policy", explanation.document());
    }
    emit(document, () -> print(bundle, explanation));
    return explanation == null || explanation.granted() ? ExitCode.DONE : ExitCode.REFUSED;
  }

  private Explanation explanation(NodePolicy policy, VerifiedBundle bundle)
      throws CommandException {
    if (user == null) {
      return null;
    }
    return Explanation.of(
        policy, user, new ModuleNames.Parts(bundle.symbolicName(), bundle.version()), filter);
  }

  private static ObjectNode document(VerifiedBundle bundle) {
    ObjectNode document = MAPPER.createObjectNode();
    document.put("module", bundle.symbolicName()).put("version", bundle.version());
    document.put("digest", bundle.sha256()).put("bytes", bundle.size());
    document
        .put("signer", Bundles.name(bundle.signer()))
        .put("anchor", Bundles.name(bundle.anchor()));
    document.put("notAfter", bundle.signer().getNotAfter().toInstant().toString());
    document.set("imports", MAPPER.valueToTree(bundle.imports()));
    document.set("requires", MAPPER.valueToTree(bundle.requires()));
    document.set("exports", MAPPER.valueToTree(bundle.exports()));
    document.set("warnings", MAPPER.valueToTree(bundle.warnings()));
    return document;
  }

  private void print(VerifiedBundle bundle, Explanation explanation) {
    line("module", bundle.symbolicName() + "_" + bundle.version());
    line(
        "digest",
        bundle.sha256() + " (" + bundle.size() + " bytes, " + bundle.files().size() + " files)");
    line(
        "signed by",
        Bundles.name(bundle.signer()) + ", until " + bundle.signer().getNotAfter().toInstant());
    line("trusted for", Bundles.name(bundle.anchor()));
    list("imports", bundle.imports());
    list("requires", bundle.requires());
    list("exports", bundle.exports());
    list("look at", bundle.warnings());
    if (explanation == null) {
      line("policy", "not asked (--user NAME asks this node's)");
    } else {
      out().println();
      explanation.print(out());
    }
  }

  private void line(String name, String text) {
    out().printf("%-12s %s%n", name, Table.printable(text));
  }

  private void list(String name, List<String> values) {
    String head = name;
    for (String value : values.isEmpty() ? List.of("nothing") : values) {
      line(head, value);
      head = "";
    }
  }
}
