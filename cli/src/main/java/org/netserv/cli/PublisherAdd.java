// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PublicKey;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.policy.ConnectRule;
import org.netserv.policy.Grant;
import org.netserv.policy.PortRule;
import org.netserv.policy.PublisherDraft;
import org.netserv.values.BadValueException;
import org.netserv.values.Prefix;
import org.netserv.values.PublisherKeys;
import org.netserv.values.ServiceIdPrefix;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "add",
    description =
        "Let a publisher in: its key, the prefixes it has proven to be its own, what it may filter there.",
    footer = {
      "",
      "Example:  sudo netserv publisher add janedoe --key janedoe.pub --prefix 198.51.100.0/24 --port udp/5060"
    })
final class PublisherAdd extends JsonCommand {
  @Mixin Paths paths;

  @Parameters(paramLabel = "NAME", description = "The publisher; the 'user' of its messages.")
  String name;

  @Option(
      names = "--key",
      required = true,
      paramLabel = "KEY",
      description =
          "Public key: the line 'type:BASE64', or a file that holds it or a PEM; repeatable.")
  List<String> keys;

  @Option(
      names = "--prefix",
      paramLabel = "PREFIX",
      description = "Addresses that are the publisher's; repeatable.")
  List<String> prefixes = List.of();

  @Option(
      names = "--port",
      paramLabel = "PROTO/PORT[-PORT]",
      description = "What it may filter toward them; repeatable.")
  List<String> ports = List.of();

  @Option(
      names = "--connect",
      paramLabel = "PROTO/PREFIX/PORT[-PORT]",
      description = "Where its modules may connect to; repeatable.")
  List<String> connect = List.of();

  @Option(
      names = "--listen",
      paramLabel = "PROTO/ADDRESS/LENGTH/PORT[-PORT]",
      description =
          "Where the network reaches its servers, an address of this node (0.0.0.0/0, ::/0: all of"
              + " them); repeatable.")
  List<String> listen = List.of();

  @Option(
      names = "--take",
      paramLabel = "tcp/PREFIX/PORT[:PORT]",
      description = "Connections to its prefixes that its modules may answer; repeatable.")
  List<String> take = List.of();

  @Option(
      names = "--serval",
      paramLabel = "DIGITS/BITS",
      description =
          "ServiceIDs for which its service routers of Serval may have rules (default: all of"
              + " them); repeatable.")
  List<String> serval = List.of();

  @Option(
      names = "--operator",
      description = "It is the operator's own: served even where a layer of isolation is missing.")
  boolean operator;

  @Option(
      names = "--grant",
      paramLabel = "GRANT",
      description = "${COMPLETION-CANDIDATES}; repeatable.")
  List<Grant> grants = List.of();

  @Option(
      names = "--signer",
      paramLabel = "ANCHOR",
      description = "Only this trust anchor may vouch for its bundles; repeatable (default: any).")
  List<String> signers = List.of();

  @Option(names = "--force", description = "Even if a prefix overlaps another publisher's.")
  boolean force;

  @Override
  public Integer call() throws Exception {
    PublisherDraft draft =
        new PublisherDraft(
            name,
            all("--key", keys, PublisherAdd::key),
            all("--prefix", prefixes, Prefix::parse),
            all("--port", ports, PortRule::parse),
            all("--connect", connect, ConnectRule::parse),
            all("--listen", listen, ConnectRule::parse),
            all("--take", take, ConnectRule::parse),
            all("--serval", serval, ServiceIdPrefix::parse),
            operator,
            grants.isEmpty() ? Set.of() : EnumSet.copyOf(grants),
            signers);
    String done = PolicyFiles.change(paths, writer -> writer.addPublisher(draft, force));
    emit(
        MAPPER.createObjectNode().put("publisher", name).put("done", done),
        () -> out().println(name + " is let in; " + done));
    return ExitCode.DONE;
  }

  private interface Reader<T> {
    T read(String text) throws BadValueException, IOException;
  }

  private static <T> List<T> all(String option, List<String> texts, Reader<T> reader)
      throws CommandException {
    List<T> values = new ArrayList<>();
    for (String text : texts) {
      try {
        values.add(reader.read(text));
      } catch (BadValueException | IOException e) {
        throw new CommandException(ExitCode.USAGE, option + " " + text + ": " + e.getMessage(), e);
      }
    }
    return values;
  }

  private static PublicKey key(String text) throws BadValueException, IOException {
    Path file = Path.of(text);
    return PublisherKeys.readPublic(Files.isRegularFile(file) ? Files.readString(file) : text);
  }
}
