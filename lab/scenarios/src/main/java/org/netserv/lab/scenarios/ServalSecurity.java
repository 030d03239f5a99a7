// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.SalHost;
import org.netserv.lab.testbed.Stranger;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.serval.ServiceId;

/**
 * A stranger attacks two hosts of sald and the service routers between them during a transfer by
 * name: with broken packets, forged messages, replayed moves, questions for answers to others,
 * loops, and registrations without a right. Each refusal is read from the victim's counters. The
 * transfer goes on with the names of its sockets, no process ends, and nothing is left.
 *
 * <p>The long form adds random faults, a flood for reflection, and the end of all flows.
 */
public final class ServalSecurity implements Scenario {
  private static final String ID = "00004001";
  private static final int BYTES = 1_000_000;
  private static final long SEED = 17;
  private static final int MUTATED = 20_000;
  private static final int FEW_MUTATED = 500;
  private static final int ROUNDS = 3;

  /** Requests and closed flows end after 60 s each, docs/protocols/serval.md. */
  private static final Duration GONE = Duration.ofSeconds(200);

  private final boolean whole;
  private final ComparedRows rows = new ComparedRows("what");
  private Stage stage;
  private Testbed testbed;
  private ServalRouters routers;
  private ServalEnds ends;

  private ServalSecurity(boolean whole) {
    this.whole = whole;
  }

  public static ServalSecurity full() {
    return new ServalSecurity(true);
  }

  public static ServalSecurity quick() {
    return new ServalSecurity(false);
  }

  @Override
  public String topology() {
    return "serval-router";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    try {
      play();
    } finally {
      stage.show(rows.table());
    }
    return rows.hold();
  }

  private void play() throws IOException {
    setUp();
    try (LiveTransfer live = LiveTransfer.start(testbed, routers, ends);
        Stranger stranger = Stranger.start(testbed, "second")) {
      attack(new ServalAttack(stage, routers, ends, stranger, rows), live);
      live.end(rows);
      rows.row("digest by name", ends.web.digest(), ends.download(ServalRouters.URL));
    }
    if (whole) {
      stage.step("the end of all flows");
      gone();
      rows.row("digest at the end", ends.web.digest(), ends.download(ServalRouters.URL));
    }
  }

  private void setUp() throws IOException {
    stage.step("service routers on two nodes, nginx with sald at the server, sald at the user");
    ServalRouters.wholeChecksums(testbed);
    routers = new ServalRouters(stage);
    routers.deploy(
        Map.of(
            "registrations", "00004", "signed-registrations", "00005", "rules", RouterLoops.RULES));
    ends = routers.ends(BYTES);
    rows.row("digest by name", ends.web.digest(), ends.download(ServalRouters.URL));
  }

  private void attack(ServalAttack attack, LiveTransfer live) throws IOException {
    Attacked server = Attacked.host("server", ends.server, ServalAttack.SERVER);
    Attacked user = Attacked.host("user", ends.user, ServalAttack.USER);
    Attacked far = Attacked.router(attack, ServalRouters.FAR, ServalRouters.FAR_ROUTER);
    Attacked near = Attacked.router(attack, ServalRouters.NODE, ServalRouters.NEAR_ROUTER);
    Map<Attacked, Long> processes = processes(List.of(server, user, far, near));
    String names = live.names();
    long open = open();
    stage.step("packets that are cut, and wrong extensions");
    attack.stranger().pretend(ServalAttack.SERVER);
    attack.stranger().pretend(ServalAttack.USER);
    new CutPackets(attack).play(List.of(server, user), far);
    new WrongExtensions(attack)
        .play(List.of(server, far), List.of("verdicts/PROTOCOL", "FORWARD_NO_SERVICE"));
    new MutatedPackets(attack, SEED).play(List.of(server, far), whole ? MUTATED / 2 : FEW_MUTATED);
    stage.step("messages of others for a flow, and for a handshake");
    new ForgedControl(attack, live, SEED).play(server, user);
    new ForgedAnswers(attack, SEED).play(server, user);
    stage.step("moves that are held back, reordered and replayed");
    new ReplayedMoves(attack, live, SEED).play(server, whole ? ROUNDS : 1);
    rows.row("open flows of both hosts", open, open());
    stage.step("questions whose answers go to somebody else");
    new Reflection(attack).play(server, far, whole);
    stage.step("loops");
    new RouterLoops(attack).play(far, near);
    stage.step("registrations that are forged, replayed, late, or for another's prefix");
    new ForgedRegistrations(attack).play();
    new PlainRegistrations(attack).play(ServiceId.parse(ID));
    rows.row("names of the transfer's socket", names, live.names());
    rows.row("its bytes come", true, live.grows());
    rows.row("processes", processes, processes(List.copyOf(processes.keySet())));
  }

  /**
   * Returns the flows that carry data, as long as a host has no more flows than its view shows.
   * Requests of strangers end by themselves.
   */
  private long open() throws IOException {
    long sum = 0;
    for (SalHost host : List.of(ends.server, ends.user)) {
      for (JsonNode flow : host.view("flows").path("flows")) {
        sum += flow.path("state").asText().equals("CONNECTED") ? 1 : 0;
      }
    }
    return sum;
  }

  private static Map<Attacked, Long> processes(List<Attacked> victims) throws IOException {
    Map<Attacked, Long> all = new LinkedHashMap<>();
    for (Attacked victim : victims) {
      all.put(victim, victim.pid());
    }
    return all;
  }

  /** Waits until no flow is left at either host. */
  private void gone() throws IOException {
    Wait.until("the end of all flows", GONE, () -> flows() == 0);
    rows.row("flows left at both hosts", 0, flows());
    long requests =
        ends.server.view("status").path("requests").asLong()
            + ends.user.view("status").path("requests").asLong();
    rows.row("requests left at both hosts", 0, requests);
  }

  private long flows() throws IOException {
    return ends.server.view("flows").path("count").asLong()
        + ends.user.view("flows").path("count").asLong();
  }
}
