// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.netserv.lab.testbed.PathPublisher.Entry;
import org.netserv.lab.testbed.PathPublisher.Reply;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;

/** Runs SETUP, PROBE and REMOVE on the publisher's host as a publisher types them. */
final class CommandRound {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final PathStage path;
  private final PathChecks checks;

  CommandRound(PathStage path, PathChecks checks) {
    this.path = path;
    this.checks = checks;
  }

  void play(InetAddress user, List<String> nodes) throws IOException {
    var bundle = path.bundle();
    List<String> setup = new ArrayList<>();
    setup.addAll(List.of("setup", bundle.module() + "_" + bundle.version()));
    setup.addAll(List.of("--digest", bundle.digest()));
    path.headers(false, 3600).forEach((name, value) -> setup.addAll(List.of("--" + name, value)));
    row(setup, user, nodes, nodes);
    row(List.of("probe", "node"), user, nodes, nodes);
    stranger(user, nodes);
    row(List.of("remove", bundle.module()), user, nodes, List.of());
  }

  private void row(
      List<String> words, InetAddress user, List<String> answered, List<String> running)
      throws IOException {
    List<String> all = new ArrayList<>(words);
    all.addAll(List.of("--user", Stage.PUBLISHER, "--key", path.keyFile().toString()));
    all.addAll(List.of("--known", path.knownFile().toString()));
    checks.row("netserv " + words.get(0) + ", IPv4", run(all, user), answered, running);
  }

  /**
   * Probes twice as a stranger without name, key or list of nodes. The stranger must see the same
   * path, and know its nodes the second time.
   */
  private void stranger(InetAddress user, List<String> nodes) throws IOException {
    String learned = path.testbed().state().resolve("learned-nodes").toString();
    List<String> words = List.of("probe", "--known", learned, "--learn");
    run(words, user);
    checks.row("netserv probe by a stranger, again", run(words, user), nodes, nodes);
  }

  private Reply run(List<String> words, InetAddress user) throws IOException {
    path.stage().step("netserv " + words.get(0) + " --to " + user.getHostAddress());
    List<String> command = new ArrayList<>();
    command.add(LabHome.home().resolve("netserv").toString());
    command.addAll(words);
    command.addAll(List.of("--to", user.getHostAddress()));
    command.addAll(List.of("--wait", Integer.toString(PathStage.BUDGET), "--json"));
    String log = path.stage().unique(words.get(0));
    Process process = path.testbed().converse("publisher", log, command);
    process.getOutputStream().close();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (!process.waitFor(PathStage.BUDGET, TimeUnit.SECONDS)) {
        throw new LabException(words.get(0) + " does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LabException("interrupted");
    }
    if (process.exitValue() != 0) {
      path.stage()
          .out()
          .println(
              "  status %d: %s%s"
                  .formatted(
                      process.exitValue(), printed, path.testbed().tail("publisher", log, 10)));
    }
    return read(JSON.readTree(printed));
  }

  private static Reply read(JsonNode answer) {
    List<Entry> nodes = new ArrayList<>();
    answer
        .path("nodes")
        .forEach(
            node ->
                nodes.add(
                    new Entry(
                        node.path("node-id").asText(),
                        node.path("address").asText(),
                        node.path("status").asInt(),
                        node.path("data").toString(),
                        node.path("signer").asText().toUpperCase(java.util.Locale.ROOT))));
    String end = answer.path("end").asText();
    return new Reply(end, answer.path("reason").asText(), nodes, null);
  }
}
