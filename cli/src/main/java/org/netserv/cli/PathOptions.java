// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.publisher.Destination;
import org.netserv.publisher.KnownNodes;
import org.netserv.publisher.NodeAnswer;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;
import picocli.CommandLine.Option;

/**
 * The options of a message that is sent along a path: the path, the nodes that act, and the known
 * nodes.
 */
final class PathOptions {
  /** The flow destination of a message for the local node alone. */
  private static final String LOCAL_FLOW = "127.0.0.1";

  @Option(
      names = "--to",
      paramLabel = "ADDRESS",
      description = {
        "Destination of the flow: the message follows it, and every NetServ node on the path acts.",
        "Without it: the node on this machine."
      })
  String to;

  @Option(
      names = "--from",
      paramLabel = "ADDRESS",
      description = "Source of the flow, an address of this host (default: the one toward --to).")
  String from;

  @Option(
      names = "--local",
      description = "Give the message with its --to to the node on this machine alone.")
  boolean local;

  @Option(
      names = "--where",
      paramLabel = "WHICH",
      description = "Which nodes act: all, last, or node-ids with commas (default: all).")
  String where;

  @Option(
      names = "--known",
      paramLabel = "FILE",
      description = "Node-ids, one a line, whose right signatures count as verified.")
  Path known;

  @Option(
      names = "--learn",
      description = "Add the nodes that answer to the --known file: trust on first use.")
  boolean learn;

  @Option(names = "--tls", description = "From node to node over TLS, or not at all.")
  boolean tls;

  @Option(
      names = "--no-router-alert",
      description = "Leave the IP option out, where routers drop packets that have it.")
  boolean noRouterAlert;

  /** Returns true if the message is to be sent along a path. */
  boolean onPath() {
    return to != null && !local;
  }

  InetAddress flow() throws CommandException {
    return address("--to", to == null ? LOCAL_FLOW : to);
  }

  Destination destination(int seconds) throws CommandException {
    try {
      InetAddress source = from == null ? null : address("--from", from);
      return new Destination(flow(), source, Duration.ofSeconds(seconds), tls);
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.USAGE, "--wait, --from: " + e.getMessage(), e);
    }
  }

  /** Refuses options that have no meaning without a path. */
  void requireNone() throws CommandException {
    if (from != null || known != null || learn || tls) {
      throw new CommandException(
          ExitCode.USAGE, "--from, --known, --learn and --tls are for a path: give --to");
    }
  }

  static InetAddress address(String option, String text) throws CommandException {
    try {
      return Addresses.parse(text);
    } catch (BadValueException e) {
      throw new CommandException(ExitCode.USAGE, option + ": " + e.getMessage(), e);
    }
  }

  /** Returns the node-ids of the {@code --known} file and of the command line. */
  KnownNodes knownNodes(Set<String> named) throws CommandException {
    if (known == null) {
      if (learn) {
        throw new CommandException(ExitCode.USAGE, "--learn: into which file? give --known");
      }
      return KnownNodes.of(named);
    }
    try {
      return new Both(named, learn ? KnownNodes.firstUse(known) : KnownNodes.read(known));
    } catch (NoSuchFileException e) {
      throw new CommandException(
          ExitCode.USAGE, "--known: no file " + known + " (--learn makes it)", e);
    } catch (IOException e) {
      throw new CommandException(ExitCode.USAGE, "--known: " + e.getMessage(), e);
    }
  }

  private record Both(Set<String> named, KnownNodes file) implements KnownNodes {
    @Override
    public Set<String> ids() {
      Set<String> all = new HashSet<>(named);
      all.addAll(file.ids());
      return Set.copyOf(all);
    }

    @Override
    public void seen(NodeAnswer node) {
      file.seen(node);
    }
  }
}
