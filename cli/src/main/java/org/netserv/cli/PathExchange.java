// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.command.Table;
import org.netserv.ncm.Delegation;
import org.netserv.ncm.PathEnd;
import org.netserv.publisher.NodeAnswer;
import org.netserv.publisher.PathAnswer;
import org.netserv.publisher.PublisherClient;
import org.netserv.values.Addresses;

/** Sends one message along a path and prints the answers. Needs nothing of NetServ on this host. */
final class PathExchange {
  /**
   * Kept in a field, because a logger without references may be forgotten together with its level.
   */
  private static final Logger LOG = Logger.getLogger("org.netserv.gist");

  /** Seconds beyond the command's wait, so that the client's own time-out comes first. */
  private static final int GRACE_SECONDS = 30;

  private PathExchange() {}

  /** A request of a command to the client. */
  interface Question {
    CompletionStage<PathAnswer> ask(PublisherClient client) throws CommandException;
  }

  static int send(ModuleMessage command, Question question) throws CommandException {
    PathAnswer answer =
        ask(command, question, limit -> command.err().println("netserv: on this host " + limit));
    command.err().flush();
    command.emit(json(answer), () -> print(command, answer));
    return exitCode(answer.outcome());
  }

  /**
   * Sends one message by a client of its own, and returns the answers.
   *
   * @param limits hears of each ability that this host lacks
   */
  static PathAnswer ask(ModuleMessage command, Question question, Consumer<String> limits)
      throws CommandException {
    LOG.setLevel(Level.WARNING);
    PublisherClient.Builder builder =
        PublisherClient.builder()
            .known(command.path.knownNodes(command.named()))
            .routerAlert(!command.path.noRouterAlert);
    if (command.delegation != null) {
      Delegation delegation = command.readDelegation();
      command.publisher();
      builder.delegate(command.readKey(), () -> delegation);
    } else if (command.user != null) {
      builder.user(command.user, command.readKey());
    }
    try (PublisherClient client = builder.open()) {
      PathAnswer answer = await(question.ask(client), command.wait);
      client.limits().forEach(limits);
      return answer;
    }
  }

  private static PathAnswer await(CompletionStage<PathAnswer> stage, int seconds)
      throws CommandException {
    try {
      return stage.toCompletableFuture().get(seconds + GRACE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      int code = e.getCause() instanceof IOException ? ExitCode.NO_NODE : ExitCode.USAGE;
      throw new CommandException(code, String.valueOf(e.getCause().getMessage()), e);
    } catch (TimeoutException e) {
      throw new CommandException(ExitCode.TIMEOUT, "no answer at all", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException(ExitCode.TIMEOUT, "interrupted", e);
    }
  }

  static ObjectNode json(PathAnswer answer) {
    ObjectNode document = JsonCommand.MAPPER.createObjectNode();
    document.put("outcome", word(answer.outcome()));
    document.put("end", word(answer.end())).put("reason", answer.reason());
    ArrayNode nodes = document.putArray("nodes");
    for (NodeAnswer node : answer.nodes()) {
      nodes
          .addObject()
          .put("hop", node.hop())
          .put("node-id", node.nodeId())
          .put("address", Addresses.print(node.address()))
          .put("status", node.status())
          .put("signer", word(node.signer()))
          .set("data", NcmExchange.data(node.data()));
    }
    if (answer.far() != null) {
      document.set("far", json(answer.far()));
    }
    return document;
  }

  private static void print(ModuleMessage command, PathAnswer answer) {
    nodes(command, answer);
    command.out().println(ending(answer));
    if (answer.far() != null) {
      command.out().println("the flow that the last node started:");
      nodes(command, answer.far());
      command.out().println(ending(answer.far()));
    }
  }

  private static void nodes(ModuleMessage command, PathAnswer answer) {
    if (answer.nodes().isEmpty()) {
      return;
    }
    Table table = new Table("HOP", "NODE", "ADDRESS", "STATUS", "SIGNATURE", "ANSWER");
    for (NodeAnswer node : answer.nodes()) {
      table.row(
          node.hop(),
          node.nodeId(),
          Addresses.print(node.address()),
          node.status(),
          word(node.signer()),
          brief(NcmExchange.data(node.data())));
    }
    table.print(command.out());
    for (NodeAnswer node : answer.nodes()) {
      details(command, node);
    }
  }

  /** Returns the line of the table in which a node reports the result of the message. */
  private static String brief(JsonNode data) {
    String header = data.path("header").asText("");
    String reason = data.path("reason").asText("");
    return header.isEmpty() || header.equals("null") ? reason : header + ": " + reason;
  }

  /** Prints the further data of an answer, such as a PROBE's, below the table. */
  private static void details(ModuleMessage command, NodeAnswer node) {
    JsonNode data = NcmExchange.data(node.data());
    if (data instanceof ObjectNode fields) {
      fields.remove("header");
      fields.remove("reason");
    }
    if (data.isEmpty()) {
      return;
    }
    command.out().println(node.hop() + "  " + node.nodeId());
    NcmExchange.printData(command, data);
  }

  private static String ending(PathAnswer answer) {
    String reason = Table.printable(answer.reason());
    String what =
        answer.outcome() == PathAnswer.Outcome.NO_NODE
            ? "no NetServ node answered: " + text(answer.end())
            : "path: " + text(answer.end());
    return reason.isEmpty() ? what : what + ": " + reason;
  }

  private static String text(PathEnd end) {
    return switch (end) {
      case ENDPOINT -> "the last node is the destination";
      case PORT_UNREACHABLE -> "ends at a destination without signaling (port unreachable)";
      case ENDPOINT_FOUND -> "ends at a destination with other signaling (Endpoint Found)";
      case NO_ANSWER -> "nobody further answered";
      case TIMED_OUT -> "a node did not answer in time, there may be more nodes than are listed";
      case REFUSED -> "refused on the way";
      case HOPS -> "too many nodes";
    };
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static int exitCode(PathAnswer.Outcome outcome) {
    return switch (outcome) {
      case DONE -> ExitCode.DONE;
      case REFUSED -> ExitCode.REFUSED;
      case NO_NODE -> ExitCode.NO_NODE;
      case TIMEOUT -> ExitCode.TIMEOUT;
      case SOME_REFUSED -> ExitCode.SOME_REFUSED;
    };
  }
}
