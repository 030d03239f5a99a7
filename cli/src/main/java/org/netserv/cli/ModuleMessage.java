// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.ncm.Delegation;
import org.netserv.ncm.Header;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.NcmSigner;
import org.netserv.publisher.Destination;
import org.netserv.publisher.PathAnswer;
import org.netserv.publisher.PublisherClient;
import org.netserv.values.BadValueException;
import org.netserv.values.PublisherKeys;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * A command that sends a SETUP, REMOVE or PROBE. Holds their common options (publisher, key, path,
 * node-id and time to wait), and signs the message.
 */
abstract class ModuleMessage extends JsonCommand {
  @Mixin Paths paths;

  @Option(names = "--user", paramLabel = "NAME", description = "The publisher.")
  String user;

  @Option(
      names = "--key",
      paramLabel = "FILE",
      description = "The private key that signs, PEM: the publisher's, or with --delegation yours.")
  Path key;

  @Option(
      names = "--delegation",
      paramLabel = "FILE",
      description = "Sign as a delegate of the publisher, by this file of 'key delegate'.")
  Path delegation;

  @Mixin PathOptions path;

  @Option(
      names = "--node-id",
      paramLabel = "ID",
      description =
          "Only this node acts; its answer counts as verified when the signature is right.")
  String nodeId;

  @Option(
      names = "--wait",
      paramLabel = "SECONDS",
      defaultValue = "15",
      description = "How long to wait for the end state; on a path 1 to 120 (default 15).")
  int wait;

  /**
   * Sends the message along a path or to the local node, as the options say, and prints the answer.
   *
   * @param numbered whether the message needs a sequence number
   */
  int deliver(Ncm.Builder message, boolean numbered) throws CommandException {
    if (!path.onPath()) {
      path.requireNone();
      return NcmExchange.send(this, sign(message, numbered));
    }
    Ncm draft = draft(message);
    Destination destination = path.destination(wait);
    return PathExchange.send(
        this,
        client ->
            switch (draft.method()) {
              case SETUP -> setUp(client, draft, destination);
              case REMOVE -> client.remove(draft, destination);
              case PROBE -> client.probe(draft, destination);
            });
  }

  /** Sends a SETUP along the path. */
  CompletionStage<PathAnswer> setUp(PublisherClient client, Ncm setup, Destination destination)
      throws CommandException {
    return client.setup(setup, destination);
  }

  /** Returns the node-ids that the command line names. */
  final Set<String> named() {
    Set<String> named = new HashSet<>();
    if (nodeId != null) {
      named.add(nodeId);
    }
    if (path.where != null && !path.where.equals("all") && !path.where.equals("last")) {
      named.addAll(List.of(path.where.split(",")));
    }
    return named;
  }

  /** Builds the message with all that its options say, without date and signature. */
  final Ncm draft(Ncm.Builder message) throws CommandException {
    FilterOptions.set(message, Header.NODE_ID, nodeId);
    FilterOptions.set(message, Header.WHERE, path.where);
    try {
      return message.build();
    } catch (NcmException e) {
      throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
    }
  }

  /**
   * Adds nonce, date, flow and, if needed, a sequence number. Signs the message if the command
   * names a publisher.
   */
  private Ncm sign(Ncm.Builder unsigned, boolean numbered) throws CommandException {
    Ncm.Builder message = draft(unsigned).toBuilder();
    byte[] nonce = new byte[Ncm.NONCE_BYTES];
    new SecureRandom().nextBytes(nonce);
    Instant now = Instant.now();
    message.nonce(nonce).date(now).to(path.flow());
    if (numbered) {
      message.set(Header.SEQ, now.toEpochMilli());
    }
    String publisher = publisher();
    try {
      if (publisher == null) {
        return message.build();
      }
      if (delegation != null) {
        message.delegation(readDelegation());
      }
      return NcmSigner.sign(message.set(Header.USER, publisher).build(), readKey());
    } catch (NcmException e) {
      throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
    }
  }

  /** Returns the publisher in whose name the message is, or null for a stranger's. */
  final String publisher() throws CommandException {
    if (delegation == null) {
      return user;
    }
    String by = readDelegation().user();
    if (user != null && !user.equals(by)) {
      throw new CommandException(
          ExitCode.USAGE, "--user: " + delegation + " is a delegation of " + by);
    }
    return by;
  }

  /** Reads the delegation, which must be the one of the key. */
  final Delegation readDelegation() throws CommandException {
    Delegation read = KeyInspect.read("--delegation", delegation);
    if (!PublisherKeys.belong(readKey(), read.key())) {
      throw new CommandException(
          ExitCode.USAGE, "--key: " + key + " is not the key that " + delegation + " is for");
    }
    return read;
  }

  final PrivateKey readKey() throws CommandException {
    if (key == null) {
      throw new CommandException(
          ExitCode.USAGE, "--key: a message with --user or --delegation is signed");
    }
    try {
      return PublisherKeys.readPrivate(key);
    } catch (IOException | BadValueException e) {
      throw new CommandException(ExitCode.USAGE, "--key: " + key + ": " + e.getMessage(), e);
    }
  }
}
