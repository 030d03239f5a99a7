// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.nio.file.Path;
import java.util.List;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.policy.PolicyException;
import org.netserv.policy.PublisherDraft;
import org.netserv.policy.XmlImport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "import",
    description = "Take the publishers of an XML policy over, once.",
    footer = {"", "Example:  sudo netserv policy import --xml policies.xml"})
final class PolicyImport extends JsonCommand {
  @Mixin Paths paths;

  @Option(names = "--xml", required = true, paramLabel = "FILE", description = "The XML policy.")
  Path xml;

  @Option(names = "--force", description = "Even if prefixes overlap another publisher's.")
  boolean force;

  @Override
  public Integer call() throws Exception {
    List<PublisherDraft> drafts = read();
    String done =
        PolicyFiles.change(
            paths,
            writer -> {
              for (PublisherDraft draft : drafts) {
                writer.addPublisher(draft, force);
              }
            });
    List<String> names = drafts.stream().map(PublisherDraft::name).toList();
    emit(
        MAPPER.createObjectNode().set("publishers", MAPPER.valueToTree(names)),
        () ->
            out()
                .println(
                    names.size()
                        + " publishers taken over: "
                        + String.join(", ", names)
                        + "; "
                        + done));
    return ExitCode.DONE;
  }

  private List<PublisherDraft> read() throws CommandException {
    try {
      return XmlImport.read(xml);
    } catch (PolicyException e) {
      throw new CommandException(ExitCode.REFUSED, e.getMessage(), e);
    }
  }
}
