// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.netserv.gist.GistSettings;
import org.netserv.gist.MessageStatus;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.PeeringDecision;
import org.netserv.gist.ReceivedMessage;
import org.netserv.gist.SendRequest;
import org.netserv.gist.SignalingApplication;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.sim.SimApplication;
import org.netserv.gist.sim.SimHost;
import org.netserv.gist.sim.SimNetwork;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.SessionId;

/**
 * Moves the path of a session from b to d while messages wait at a, as the scenario path-reroute
 * does. Datagrams get lost and late meanwhile, and connections fail.
 *
 * <pre>
 *            +-- b --+
 *   a -- p1 -+       +- p2 -- c -- u
 *            +-- d --+
 * </pre>
 */
class RerouteTest {
  private static final SessionId SESSION = SimApplication.session(1);

  /** Time of a message, ms. */
  private static final long TIMEOUT = 8_000;

  /** Bound for a message without a time: all Queries from T1 to T2. */
  private static final long SILENCE = 63_500;

  private static final int SEEDS = 60;

  /** Sends as the signaling application does: verify the path, and again when the peer is lost. */
  private static final class Sender implements SignalingApplication {
    private static final long[] AGAIN = {200, 1_000, 3_000};

    private final SimHost host;
    private final SimNetwork network;
    private final Mri flow;
    private final Duration timeout;
    private final Map<String, Long> waiting = new HashMap<>();
    private final Map<String, Integer> attempts = new HashMap<>();
    private final List<String> sent = new ArrayList<>();
    private final Map<String, MessageStatus> last = new HashMap<>();
    private long longest;

    Sender(SimHost host, SimNetwork network, Mri flow, Duration timeout) {
      this.host = host;
      this.network = network;
      this.flow = flow;
      this.timeout = timeout;
    }

    void send(String text) {
      attempts.merge(text, 1, Integer::sum);
      waiting.put(text, network.clock.now());
      sent.remove(text);
      host.node.verifyPeer(nslpId(), flow, SESSION, Duration.ofSeconds(1), Duration.ofSeconds(2));
      byte[] payload = text.getBytes(StandardCharsets.UTF_8);
      host.node.sendMessage(
          new SendRequest(
              payload,
              text,
              nslpId(),
              SESSION,
              flow,
              null,
              TransferAttributes.RELIABLE,
              timeout,
              -1));
    }

    private void again(String text) {
      int attempt = attempts.get(text);
      if (attempt <= AGAIN.length) {
        network.clock.schedule(AGAIN[attempt - 1], () -> send(text));
      }
    }

    @Override
    public int nslpId() {
      return SimApplication.NSLPID;
    }

    @Override
    public int routerAlert() {
      return SimApplication.ROUTER_ALERT;
    }

    @Override
    public PeeringDecision check(ReceivedMessage query) {
      return PeeringDecision.ACCEPT;
    }

    @Override
    public void received(ReceivedMessage message) {}

    @Override
    public void messageStatus(Object handle, MessageStatus status, String detail) {
      String text = handle.toString();
      longest = Math.max(longest, network.clock.now() - waiting.remove(text));
      last.put(text, status);
      if (status == MessageStatus.SENT) {
        sent.add(text);
      } else if (status == MessageStatus.ASSOCIATION_LATE) {
        again(text);
      }
    }

    @Override
    public void notified(NetworkNotification event) {
      boolean lost =
          event.kind() == NetworkNotification.Kind.COMMUNICATION_FAILURE
              || event.kind() == NetworkNotification.Kind.ROUTE_DELETION;
      if (lost) {
        List<String> again = List.copyOf(sent);
        sent.clear();
        again.forEach(this::again);
      }
    }
  }

  /** A session with b as its first node, whose path then leads to d. */
  private static final class Play {
    private final SimNetwork network;
    private final Random random;
    private final SimHost a;
    private final SimHost b;
    private final SimHost d;
    private final Map<String, Long> arrived = new HashMap<>();
    private Sender sender;
    private long moved;

    Play(long seed, Duration timeout) {
      network = new SimNetwork(seed);
      random = new Random(seed);
      List<String> way = List.of("a", "p1", "b", "p2", "d", "p1");
      for (int i = 1; i < way.size(); i++) {
        network.link(way.get(i - 1), way.get(i));
      }
      network.link("p2", "c");
      network.link("c", "u");
      a = network.host("a");
      avoid("d");
      Mri flow = SimApplication.flow(a, network.host("u"));
      a.hosted = host -> sender = new Sender(host, network, flow, timeout);
      a.start(GistSettings.DEFAULT);
      b = network.host("b").start(GistSettings.DEFAULT);
      d = network.host("d").start(GistSettings.DEFAULT);
      network.host("c").start(GistSettings.DEFAULT);
      relay(b);
      relay(d);
      sender.send("first");
      network.clock.pass(1_000 + random.nextInt(30_000)); // anywhere between two refreshes
      assertEquals(List.of("first"), b.application.texts());
      sender.longest = 0;
      sender.sent.clear();
      avoid("b");
      moved = network.clock.now();
    }

    private void avoid(String name) {
      for (String router : List.of("p1", "p2")) {
        network.host(router).avoids.clear();
        network.host(router).avoids.add(network.host(name));
      }
    }

    private void relay(SimHost host) {
      host.application.onReceived =
          m -> {
            String text = SimApplication.text(m);
            if (host == d) {
              arrived.putIfAbsent(text, network.clock.now() - moved);
            }
            host.application.send(text, SESSION, m.mri(), TransferAttributes.RELIABLE);
          };
    }

    /** Loses, doubles and delays datagrams for some seconds, the answer of d for more than 2 s. */
    void disturb() {
      network.impair(random.nextDouble() * 0.5, 0.2, 1 + random.nextInt(4_000));
      network.clock.schedule(random.nextInt(10_000), () -> network.impair(0, 0, 0));
    }

    void later(Runnable fault) {
      network.clock.schedule(random.nextInt(6_000), fault);
    }

    void sendSome() {
      for (String text : List.of("m0", "m1", "m2", "m3")) {
        network.clock.schedule(random.nextInt(8_000), () -> sender.send(text));
      }
      network.clock.pass(120_000);
    }
  }

  private interface Fault {
    void on(Play play);
  }

  private static void holds(Fault fault) {
    for (int seed = 0; seed < SEEDS; seed++) {
      boolean timed = seed % 2 == 0;
      Play play = new Play(seed, timed ? Duration.ofMillis(TIMEOUT) : null);
      play.disturb();
      fault.on(play);
      play.sendSome();
      assertTrue(play.sender.waiting.isEmpty(), "seed " + seed + " " + play.sender.waiting);
      long bound = timed ? TIMEOUT : SILENCE;
      assertTrue(play.sender.longest <= bound, "seed " + seed + ": " + play.sender.longest);
      for (Map.Entry<String, MessageStatus> told : play.sender.last.entrySet()) {
        boolean reached = !told.getKey().startsWith("m") || play.arrived.containsKey(told.getKey());
        assertTrue(told.getValue() != MessageStatus.SENT || reached, "seed " + seed + " " + told);
      }
    }
  }

  @Test
  void withoutFaultsAMessageGoesToTheNewNodeAtOnce() {
    Play play = new Play(1, Duration.ofMillis(TIMEOUT));
    play.sender.send("m");
    play.network.clock.pass(1_000);
    assertTrue(play.sender.longest <= 10, play.sender.longest + " ms");
    assertTrue(play.arrived.get("m") <= 20, play.arrived + "");
  }

  @Test
  void datagramsAreLostAndLate() {
    holds(play -> {});
  }

  @Test
  void connectionsBreak() {
    holds(
        play -> {
          play.later(() -> play.a.connections.reset("dies"));
          play.later(() -> play.a.connections.reset("dies"));
        });
  }

  @Test
  void theNewNodeRefusesConnectionsForAWhile() {
    holds(
        play -> {
          play.d.connections.refusing = true;
          play.later(() -> play.d.connections.refusing = false);
        });
  }

  @Test
  void theNewNodeDoesNotAnswerConnectionsForAWhile() {
    holds(
        play -> {
          play.d.connections.ignoring = true;
          play.later(() -> play.d.connections.ignoring = false);
        });
  }

  /** The connections break at each millisecond of the handshake, and of the wait for it. */
  @Test
  void connectionsBreakAtEachMoment() {
    for (int moment = 0; moment < 2_600; moment += moment == 30 ? 1_960 : moment < 2_030 ? 1 : 10) {
      Play play = new Play(1, Duration.ofMillis(TIMEOUT));
      int quiet = moment < 1_990 ? 0 : 2_400; // longer than messages are held
      play.network.linkBetween("p1", "d").up = quiet == 0;
      play.network.clock.schedule(quiet, () -> play.network.linkBetween("p1", "d").up = true);
      play.network.clock.schedule(moment, () -> play.a.connections.reset("dies"));
      play.sender.send("m");
      play.network.clock.pass(20_000);
      assertTrue(play.arrived.containsKey("m"), "at " + moment + " " + play.sender.last);
      assertTrue(play.arrived.get("m") <= quiet + 5_000, "at " + moment + " " + play.arrived);
    }
  }
}
