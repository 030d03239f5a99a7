// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.netserv.cli.doctor.HostFacts;
import org.netserv.cli.doctor.HostFacts.Run;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;

/**
 * Asks a running sald (docs/protocols/sald.md, "Orders"). The JDK has no sockets of type SEQPACKET,
 * so the program itself carries each order: {@code sald --ask SOCKET VERB KEY=VALUE...}
 */
public final class Sald {
  /** The values that sald takes, by key. */
  private static final Map<String, String> HINTS =
      Map.of(
          "id", "a serviceID has 1 to 64 hexadecimal digits",
          "name", "this host has no such name: netserv serval names",
          "flow", "1 to 8 hexadecimal digits, as `netserv serval flows` shows them",
          "port", "1 to 65535");

  /** Verbs whose reply is JSON. */
  public static final Set<String> VIEWS =
      Set.of("status", "flows", "associations", "services", "names", "offers");

  private static final String REFUSED = "error reason=";

  private final HostFacts host;
  private final Path program;
  private final Path socket;

  public Sald(HostFacts host, Path program, Path socket) {
    this.host = host;
    this.program = program;
    this.socket = socket;
  }

  /** Returns one of the {@link #VIEWS}. */
  public JsonNode view(String verb) throws CommandException {
    String reply = ask(verb, Map.of());
    try {
      return JsonCommand.MAPPER.readTree(reply);
    } catch (JsonProcessingException e) {
      throw new CommandException(
          ExitCode.REFUSED, "sald's view of " + verb + " is no JSON: " + reply, e);
    }
  }

  /** Carries out an order. Returns the pairs of the reply. */
  public ObjectNode order(String verb, Map<String, String> pairs) throws CommandException {
    ObjectNode answer = JsonCommand.MAPPER.createObjectNode();
    pairs(ask(verb, pairs)).forEach(answer::put);
    return answer;
  }

  /** Returns the pairs of a line. */
  public static Map<String, String> pairs(String line) {
    Map<String, String> all = new LinkedHashMap<>();
    for (String word : line.split(" ", -1)) {
      int equals = word.indexOf('=');
      if (equals > 0) {
        all.put(word.substring(0, equals), decode(word.substring(equals + 1)));
      }
    }
    return all;
  }

  /** Returns true if a sald answers. */
  public boolean answers() {
    return host.run(program.toString(), "--ask", socket.toString(), "status").status() == 0;
  }

  private String ask(String verb, Map<String, String> pairs) throws CommandException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of(program.toString(), "--ask", socket.toString(), encode(verb)));
    pairs.forEach((key, value) -> command.add(key + "=" + encode(value)));
    Run run = host.run(command.toArray(String[]::new));
    String reply = run.output().strip();
    if (run.status() == 0) {
      return reply;
    }
    if (reply.startsWith(REFUSED)) {
      String reason = decode(reply.substring(REFUSED.length()).split(" ", 2)[0]);
      throw new CommandException(ExitCode.REFUSED, refusal(verb, reason, pairs));
    }
    throw new CommandException(
        ExitCode.NO_NODE,
        "no sald answers on "
            + socket
            + ": "
            + reply
            + " (start one with: netserv serval host up)");
  }

  /** Explains a refusal. Its reason is the key of a bad or missing value, or a text. */
  private static String refusal(String verb, String reason, Map<String, String> pairs) {
    if (pairs.containsKey(reason)) {
      String hint = verb.equals("resolve") || !reason.equals("name") ? HINTS.get(reason) : null;
      return verb
          + ": sald refuses "
          + reason
          + ": "
          + pairs.get(reason)
          + (hint == null ? "" : " (" + hint + ")");
    }
    return verb + ": sald refuses: " + reason;
  }

  /** Encodes a value, so that it is one word of a line. */
  public static String encode(String value) {
    return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** Returns the text of an encoded value. */
  public static String decode(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return text; // a percent sign that is no code
    }
  }
}
