// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.PathPublisher;
import org.netserv.lab.testbed.PathPublisher.Reply;
import org.netserv.ncm.Bound;

/**
 * Reaches node b, which only packets from the user to the publisher cross. A SETUP of the publisher
 * installs on node a. A TRIGGER makes node a send a SETUP on, which reaches node b as long as the
 * way of node a leads over it. The user's own program reaches node b by a delegation. Delegations
 * that do not fit are refused by name, and nothing is done.
 */
public final class ReversePath implements Scenario {
  private static final int TTL = 600;
  private static final Duration LIFE = LabDelegates.LIFE;
  private static final List<String> A = List.of("a");
  private static final List<String> B = List.of("b");
  private static final Map<String, String> LAST = Map.of("where", "last");

  @Override
  public String topology() {
    return "reverse-path";
  }

  @Override
  public boolean play(Stage stage) throws IOException {
    try (PathStage path = PathStage.open(stage);
        LabDelegates delegates = new LabDelegates(path)) {
      PathChecks checks = new PathChecks(path);
      new Round(path, checks, delegates).play();
      return checks.show();
    }
  }

  /** One round of messages. */
  private record Round(PathStage path, PathChecks checks, LabDelegates delegates) {
    void play() throws IOException {
      fromThePublisher();
      byTrigger();
      byTheUser();
      refusals();
      revoked();
    }

    private InetAddress publisher() {
      return path.address("publisher", false);
    }

    private InetAddress user() {
      return path.address("user", false);
    }

    private Map<String, String> headers(String... more) {
      return path.headers(false, TTL, more);
    }

    private void fromThePublisher() throws IOException {
      path.stage().step("the publisher's SETUP to the user");
      checks.row("SETUP by the publisher", path.setup(user(), headers()), A, A);
      checks.row("REMOVE by the publisher", path.remove(PathStage.MODULE, user()), A, List.of());
    }

    private void byTrigger() throws IOException {
      path.stage().step("TRIGGER to node a, which sends a SETUP back to the publisher");
      trigger("TRIGGER", "b");
      path.stage().step("the same after node a has got another way to the publisher, past node b");
      path.testbed().run("a", "ip", "route", "add", "192.0.2.0/24", "via", "10.0.1.1");
      trigger("TRIGGER past b", "a");
      path.testbed().run("a", "ip", "route", "del", "192.0.2.0/24", "via", "10.0.1.1");
    }

    /** Installs on the last node that the flow of node a meets, and removes it the same way. */
    private void trigger(String name, String last) throws IOException {
      List<String> only = List.of(last);
      Reply reply = path.trigger(user(), publisher(), headers("where", "last"));
      far(name, reply, only, only);
      far(name + ", REMOVE", path.triggerRemove(user(), publisher(), LAST), only, List.of());
    }

    private void far(String name, Reply reply, List<String> answered, List<String> running)
        throws IOException {
      checks.row(name, reply, A, running);
      if (reply.far() == null) {
        checks.fact("  the message inside", "no answer", false);
      } else {
        checks.row("  the message inside", reply.far(), answered, running);
      }
    }

    private void byTheUser() throws IOException {
      path.stage().step("the user's program, with a delegation, along its own path");
      PathPublisher alice = delegates.program(delegates.usual("alice"), "alice");
      checks.row("SETUP by the user", send(alice), B, B);
      audited();
      checks.row("PROBE by the user", alice.probe(path.route(publisher())), B, B);
      checks.row(
          "REMOVE by the user",
          alice.remove(PathStage.MODULE, path.route(publisher())),
          B,
          List.of());
    }

    private Reply send(PathPublisher program) throws IOException {
      return program.setup(path.bundle(), path.route(publisher()), headers());
    }

    private void audited() throws IOException {
      List<JsonNode> lines = path.audit("b");
      JsonNode last = lines.get(lines.size() - 1);
      String by = last.path("delegate").path("subject").asText();
      String user = last.path("user").asText();
      checks.fact(
          "SETUP, says the audit log of b",
          user + " by its delegate " + by,
          user.equals(Stage.PUBLISHER) && by.equals("alice"));
    }

    private void refusals() throws IOException {
      path.stage().step("delegations that do not fit");
      Instant now = Instant.now();
      refused(
          "expired",
          "expired at ",
          delegates.issued("expired", now.minus(Duration.ofHours(2)), LIFE, Map.of()));
      refused(
          "longer than policy allows",
          "lives 7200 s, this node takes 3600 s at most",
          delegates.issued("long", now, Duration.ofHours(2), Map.of()));
      refused(
          "another module",
          "module NetServ.apps.KeepAlive is not among its modules",
          delegates.issued(
              "module", now, LIFE, Map.of(Bound.MODULES, "other.app;" + path.bundle().digest())));
      refused(
          "another bundle",
          "digest " + path.bundle().digest(),
          delegates.issued(
              "bundle", now, LIFE, Map.of(Bound.MODULES, PathStage.MODULE + ";" + "0".repeat(64))));
      refused(
          "another destination",
          "to 192.0.2.10 is not within 203.0.113.0/24",
          delegates.issued("to", now, LIFE, Map.of(Bound.TO, "203.0.113.0/24")));
      refused(
          "another port",
          "filter-port is 5060, and has to be 5070",
          delegates.issued("port", now, LIFE, Map.of(Bound.FILTER_PORT, "5070")));
      refused(
          "issued by another key",
          "no key registered for this publisher has issued it",
          delegates.forged("forged"));
      PathPublisher thief = delegates.program(delegates.usual("stolen"), "mallory");
      named("signed by another key", "the message is not signed by the key", send(thief));
      PathPublisher alice = delegates.program(delegates.usual("other"), "alice");
      InetAddress second =
          path.testbed().topology().node("user").interfaces().get("eth0").get(1).ip();
      Reply reply = alice.setup(path.bundle(), second, path.route(publisher()), headers());
      named("another source", "from 198.51.100.11 is not within 198.51.100.10/32", reply);
    }

    private void refused(String name, String reason, Path delegation) throws IOException {
      PathPublisher program = delegates.program(delegation, "alice");
      named(name, reason, send(program));
    }

    /** Requires one answer, of node b, that blames the delegation. Nothing may be done. */
    private void named(String name, String reason, Reply reply) throws IOException {
      String said = reply.nodes().size() == 1 ? reply.nodes().get(0).data() : reply.toString();
      int status = reply.nodes().isEmpty() ? 0 : reply.nodes().get(0).status();
      boolean right =
          (status == 401 || status == 403)
              && said.contains("\"header\":\"delegation\"")
              && said.contains(reason)
              && path.runningOn().equals("none")
              && path.rulesLeft().equals("none");
      checks.fact("refused: " + name, status + " delegation: " + reason, right);
      if (!right) {
        path.stage().out().println("  WRONG: " + reply);
      }
    }

    private void revoked() throws IOException {
      path.stage().step("the publisher revokes a delegation, by TRIGGER");
      Path file = delegates.usual("revoked");
      PathPublisher alice = delegates.program(file, "alice");
      checks.row("SETUP by the user", send(alice), B, B);
      Map<String, String> serial = Map.of("where", "last", "revoke", delegates.serial(file));
      Reply reply = path.triggerRemove(user(), publisher(), serial);
      far("TRIGGER, REMOVE with revoke", reply, B, List.of());
      named("revoked", "revoked: " + delegates.serial(file), send(alice));
    }
  }
}
