// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import static java.util.stream.Collectors.joining;
import static org.netserv.policy.IsolationPolicy.LAYERS;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.command.Table;
import org.netserv.filter.FlowFilter;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.policy.Decision;
import org.netserv.policy.DecisionStep;
import org.netserv.policy.IsolationPolicy;
import org.netserv.policy.NodePolicy;
import org.netserv.policy.Program;
import org.netserv.policy.PublisherPolicy;
import org.netserv.values.Protocols;

/**
 * The answer of a node's policy to a SETUP of one module with given filters, question by question.
 */
final class Explanation {
  private static final ObjectMapper FILE =
      new ObjectMapper().setPropertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE);

  private final Decision decision;
  private final PublisherPolicy publisher;
  private final List<String> interfaces;
  private final Set<String> refusedWithout;

  private Explanation(Decision decision, PublisherPolicy publisher, NodePolicy node) {
    IsolationPolicy isolation = node.isolation();
    this.decision = decision;
    this.publisher = publisher;
    this.interfaces = node.fastPath().interfaces();
    this.refusedWithout = new LinkedHashSet<>(publisher.operator() ? Set.of() : LAYERS);
    this.refusedWithout.removeIf(layer -> isolation.refusing(Set.of(layer)).isEmpty());
  }

  static Explanation of(
      NodePolicy policy, String user, ModuleNames.Parts module, FilterOptions filter)
      throws CommandException {
    PublisherPolicy publisher =
        policy
            .publisher(user)
            .orElseThrow(
                () ->
                    new CommandException(ExitCode.REFUSED, "this node knows no publisher " + user));
    Ncm.Builder message =
        Ncm.builder(Method.SETUP, module.symbolicName()).version(module.version());
    filter.addTo(complete(message.set(Header.USER, user)));
    try {
      return new Explanation(publisher.authorise(message.build(), policy), publisher, policy);
    } catch (NcmException e) {
      throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
    }
  }

  /**
   * Adds the headers that every SETUP needs and policy does not look at. Any value will do, because
   * the message is never sent.
   */
  private static Ncm.Builder complete(Ncm.Builder message) {
    return message
        .set(Header.TTL, 3600)
        .set(Header.URL, "http://publisher.example/bundle.jar")
        .set(Header.DIGEST, "0".repeat(64))
        .set(Header.TO, "127.0.0.1")
        .set(Header.SEQ, 1)
        .date(Instant.EPOCH)
        .nonce(new byte[Ncm.NONCE_BYTES])
        .set(Header.SIGNATURE, Base64.getEncoder().encodeToString(new byte[64]));
  }

  boolean granted() {
    return decision.granted();
  }

  void print(PrintWriter out) {
    Table table = new Table("QUESTION", "ANSWER", "RULE");
    for (DecisionStep step : decision.steps()) {
      table.row(step.question(), step.answer(), step.rule());
    }
    table.print(out);
    decision.filters().forEach(filter -> out.println("granted: " + granted(filter)));
    out.println("container: " + words(quotas()));
    out.println("plane: " + publisher.plane().text() + ", fast path on " + words(interfaces));
    out.println("may connect to " + words(publisher.connect()));
    out.println("is reached at " + words(publisher.listen()));
    out.println("may take connections to " + words(publisher.take()));
    out.println("may route serviceIDs of " + words(publisher.serval().prefixes()));
    out.println(
        "may have processes of " + words(publisher.process().stream().map(Program::text).toList()));
    out.println(
        publisher.operator()
            ? "isolation: the operator's own, served whatever layer is missing"
            : "isolation: refused where one is missing of " + words(refusedWithout));
    out.println(
        granted() ? "this node would grant it" : decision.status() + " " + decision.reason());
  }

  ObjectNode document() {
    ObjectNode document = JsonCommand.MAPPER.createObjectNode();
    document
        .put("granted", granted())
        .put("status", decision.status())
        .put("reason", decision.reason());
    ArrayNode steps = document.putArray("steps");
    for (DecisionStep step : decision.steps()) {
      steps
          .addObject()
          .put("question", step.question())
          .put("answer", step.answer())
          .put("rule", step.rule());
    }
    ArrayNode filters = document.putArray("filters");
    decision.filters().forEach(filter -> filters.add(words(filter)));
    document.set("quotas", quotas());
    document.put("plane", publisher.plane().text());
    ArrayNode fastPath = document.putArray("fastPath");
    interfaces.forEach(fastPath::add);
    ArrayNode connect = document.putArray("connect");
    publisher.connect().forEach(rule -> connect.add(rule.toString()));
    ArrayNode listen = document.putArray("listen");
    publisher.listen().forEach(rule -> listen.add(rule.toString()));
    ArrayNode process = document.putArray("process");
    publisher.process().forEach(program -> process.add(program.text()));
    ArrayNode take = document.putArray("take");
    publisher.take().forEach(rule -> take.add(rule.toString()));
    ArrayNode serval = document.putArray("serval");
    publisher.serval().prefixes().forEach(prefix -> serval.add(prefix.toString()));
    document.put("operator", publisher.operator());
    ArrayNode layers = document.putArray("refusedWithout");
    refusedWithout.forEach(layers::add);
    return document;
  }

  /** Returns the quotas under the keys of the publisher's file. */
  private ObjectNode quotas() {
    return FILE.valueToTree(publisher.quotas());
  }

  private static String words(ObjectNode values) {
    return values.properties().stream()
        .map(entry -> entry.getKey() + " " + entry.getValue().asText())
        .collect(joining(", "));
  }

  private static String words(Collection<?> values) {
    return values.isEmpty()
        ? "nothing"
        : values.stream().map(Object::toString).collect(joining(", "));
  }

  private static String granted(FlowFilter filter) {
    return (filter.takes() ? "connections of " : "packets of ") + words(filter);
  }

  /** Describes a filter in words, such as {@code udp to 192.0.2.10/32 port 5060}. */
  private static String words(FlowFilter filter) {
    StringBuilder words =
        new StringBuilder(filter.protocol() == 0 ? "any" : Protocols.print(filter.protocol()));
    words.append(" to ").append(filter.destination());
    if (filter.destinationPorts() != null) {
      words.append(" port ").append(filter.destinationPorts());
    }
    if (filter.takes()) {
      words.append(", at port ").append(filter.take()).append(" of the container");
    }
    if (filter.match() != null) {
      words.append(", of which a program must say yes");
    }
    if (filter.count() != null) {
      words.append(", counted in the kernel by ").append(filter.count());
    }
    if (filter.sample() != 0) {
      words.append(filter.count() == null ? ", copies of 1 in " : " or, where it cannot, 1 in ");
      words.append(filter.sample());
    }
    return words.toString();
  }
}
