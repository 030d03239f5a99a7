// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.GistSettings;
import org.netserv.gist.ReceivedMessage;
import org.netserv.gist.SendRequest;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.sim.SimApplication;
import org.netserv.gist.sim.SimHost;
import org.netserv.gist.sim.SimNetwork;
import org.netserv.gist.wire.SessionId;
import org.netserv.ncm.Header;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmBinary;
import org.netserv.ncm.PathEnd;
import org.netserv.ncm.ResponseStack;
import org.netserv.ncm.Trigger;
import org.netserv.nslp.NslpMessage;
import org.netserv.nslp.NslpMessage.Request;
import org.netserv.nslp.NslpMessage.Response;
import org.netserv.nslp.NslpParts;
import org.netserv.process.Overload;
import org.netserv.values.BadValueException;

/**
 * The application on real GIST nodes in a simulated network: p(ublisher), a, a plain router, b, c,
 * u(ser) in a row.
 */
class PathOverGistTest {
  private static final SessionId SESSION = SimApplication.session(1);

  private SimNetwork network = SimNetwork.line(1, "p", "a", "router", "b", "c", "u");
  private final Map<String, SimController> controllers = new HashMap<>();
  private final Map<String, NetServApplication> applications = new HashMap<>();
  private SimHost publisher;
  private SimHost user;
  private int number;

  private void start() {
    start("a", "b", "c");
  }

  private void start(String... nodes) {
    publisher = network.host("p").start(GistSettings.DEFAULT);
    user = network.host("u");
    for (String name : nodes) {
      controllers.put(name, new SimController(network.clock));
      SimHost host = network.host(name);
      host.hosted = this::application;
      host.keepsIdentity = true;
      host.start(GistSettings.DEFAULT);
    }
  }

  /** Makes the application at each start of a node. The node's controller lives on. */
  private NetServApplication application(SimHost host) {
    NetServApplication application =
        new NetServApplication(
            host.node,
            controllers.get(host.name),
            host,
            network.clock,
            new SecureRandom(),
            new SignalingCounters(),
            new RegisteredPublishers(),
            new Overload(),
            () -> ApplicationSettings.DEFAULT);
    applications.put(host.name, application);
    return application;
  }

  private Ncm.Builder probe(InetAddress to) {
    byte[] nonce = new byte[16];
    nonce[0] = (byte) ++number;
    return OneNode.probe().nonce(nonce).to(to);
  }

  private void send(int id, int budget, byte[] ncm) {
    publisher.node.sendMessage(
        new SendRequest(
            new Request(OneNode.id(id), budget, ncm).encode(),
            "request " + id,
            NslpMessage.NSLP_ID,
            SESSION,
            SimApplication.flow(publisher, user),
            null,
            TransferAttributes.RELIABLE,
            null,
            -1));
  }

  private List<Response> responses() throws Exception {
    NslpParts parts = new NslpParts();
    List<Response> all = new ArrayList<>();
    for (var message : publisher.application.received) {
      Optional<NslpMessage> read = parts.join("", message.payload(), 0);
      if (read.isPresent() && read.get() instanceof Response response) {
        all.add(response);
      }
    }
    return all;
  }

  private Response only() throws Exception {
    assertEquals(1, responses().size(), publisher.application.statuses.toString());
    return responses().get(0);
  }

  /** Returns the names of the nodes of a stack, from the top, in path order. */
  private List<String> path(ResponseStack stack, byte[] nonce) {
    Map<String, String> names =
        controllers.entrySet().stream()
            .collect(Collectors.toMap(e -> e.getValue().identity.nodeId(), Map.Entry::getKey));
    List<String> path = new ArrayList<>();
    for (ResponseStack.Checked checked : stack.verify(nonce, Set.copyOf(names.keySet()))) {
      assertEquals(ResponseStack.Signer.VERIFIED, checked.signer());
      path.add(0, names.get(checked.entry().nodeId()));
    }
    return path;
  }

  private static byte[] nonce(byte[] ncm) throws Exception {
    return NcmBinary.decode(ncm).nonce().orElseThrow();
  }

  @Test
  void theStackIsThePath() throws Exception {
    start();
    byte[] ncm = OneNode.signed(probe(user.address()));
    send(1, 20_000, ncm);
    network.clock.pass(20_000);
    assertEquals(List.of("a", "b", "c"), path(only().stack(), nonce(ncm)));
    assertEquals(PathEnd.PORT_UNREACHABLE, only().end());
    for (SimController controller : controllers.values()) {
      assertEquals(1, controller.questions.size());
    }
  }

  @Test
  void aUserWhoSaysNothingEndsThePathInTime() throws Exception {
    start();
    user.silent = true;
    byte[] ncm = OneNode.signed(probe(user.address()));
    send(1, 20_000, ncm);
    network.clock.pass(20_000);
    assertEquals(List.of("a", "b", "c"), path(only().stack(), nonce(ncm)));
    assertEquals(PathEnd.NO_ANSWER, only().end());
  }

  @Test
  void whereLastIsForTheLastNodeAlone() throws Exception {
    start();
    byte[] ncm = OneNode.signed(probe(user.address()).set(Header.WHERE, "last"));
    send(1, 20_000, ncm);
    network.clock.pass(20_000);
    assertEquals(List.of("c"), path(only().stack(), nonce(ncm)));
    assertTrue(controllers.get("a").questions.isEmpty());
    assertTrue(controllers.get("b").questions.isEmpty());
  }

  @Test
  void whereNodesIsForThoseNodes() throws Exception {
    start();
    String b = controllers.get("b").identity.nodeId();
    byte[] ncm = OneNode.signed(probe(user.address()).set(Header.WHERE, b));
    send(1, 20_000, ncm);
    network.clock.pass(20_000);
    assertEquals(List.of("b"), path(only().stack(), nonce(ncm)));
  }

  /** From the last node of the path to the user, a flow back to the publisher. */
  @Test
  void aTriggerStartsAtTheFarEnd() throws Exception {
    start();
    publisher.application.onReceived = this::answerAsTheDestination;
    byte[] inside = OneNode.signed(probe(publisher.address()));
    byte[] nonce = new byte[16];
    nonce[15] = 1;
    Trigger trigger =
        Trigger.sign(
            NcmBinary.decode(inside),
            user.address(),
            Instant.parse("2026-11-01T12:00:00Z"),
            nonce,
            OneNode.KEYS.getPrivate());
    send(1, 30_000, trigger.encode());
    network.clock.pass(30_000);
    assertEquals(List.of("c"), path(only().stack(), nonce));
    assertEquals(List.of("c", "b", "a"), path(only().farStack(), nonce(inside)));
    assertEquals(PathEnd.PORT_UNREACHABLE, only().end());
    assertEquals(PathEnd.ENDPOINT, only().farEnd());
  }

  /** Plays the end of the path: a host that is no node and has the application. */
  private void answerAsTheDestination(ReceivedMessage message) {
    if (message.mri().upstream()) {
      return;
    }
    try {
      NslpMessage request = NslpMessage.decode(message.payload());
      publisher.node.sendMessage(
          new SendRequest(
              new Response(request.id(), ResponseStack.EMPTY, PathEnd.ENDPOINT, "").encode(),
              "answer",
              NslpMessage.NSLP_ID,
              message.session(),
              message.mri().flipped(),
              null,
              TransferAttributes.RELIABLE,
              null,
              -1));
    } catch (BadValueException e) {
      throw new AssertionError(e);
    }
  }

  /** A tenth of all datagrams is lost, some come twice, all overtake each other. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void lossAndDuplicatesChangeNothing(long seed) throws Exception {
    network = SimNetwork.line(seed, "p", "a", "router", "b", "c", "u");
    start();
    network.impair(0.1, 0.1, 20);
    byte[] ncm = OneNode.signed(probe(user.address()));
    send(1, 60_000, ncm);
    network.clock.pass(60_000);
    assertEquals(List.of("a", "b", "c"), path(only().stack(), nonce(ncm)));
    for (SimController controller : controllers.values()) {
      assertEquals(1, controller.installed.size());
    }
  }

  /** A node that dies after it has got the request, and comes back, is asked again. */
  @Test
  void aNodeThatIsRestartedIsAskedAgain() throws Exception {
    start();
    byte[] ncm = OneNode.signed(probe(user.address()));
    user.silent = true;
    send(1, 60_000, ncm);
    network.clock.pass(1_000);
    assertEquals(1, controllers.get("b").questions.size());
    network.host("b").restart();
    network.clock.pass(60_000);
    assertEquals(List.of("a", "b", "c"), path(only().stack(), nonce(ncm)));
    assertEquals(2, controllers.get("b").questions.size());
    assertEquals(1, controllers.get("b").installed.size());
    assertEquals(1, controllers.get("c").installed.size());
  }

  /** The nodes that are left answer for the rest of the path. */
  @Test
  void aNodeThatDiesForGoodIsMissing() throws Exception {
    start();
    byte[] ncm = OneNode.signed(probe(user.address()));
    user.silent = true;
    send(1, 30_000, ncm);
    network.clock.pass(500);
    network.host("b").stop();
    network.clock.pass(30_000);
    List<String> path = path(only().stack(), nonce(ncm));
    assertEquals("a", path.get(0));
    assertTrue(!path.contains("b"), path.toString());
  }

  /** Refreshes use existing routing state and leave nothing behind. */
  @Test
  void manyRequestsOneAfterTheOther() throws Exception {
    start();
    for (int i = 1; i <= 20; i++) {
      send(i, 10_000, OneNode.signed(probe(user.address())));
      network.clock.pass(10_000);
    }
    assertEquals(20, responses().size());
    for (Response response : responses()) {
      assertEquals(3, response.stack().entries().size());
    }
    for (String name : List.of("a", "b", "c")) {
      assertEquals(0, applications.get(name).underWay());
      assertEquals(20, controllers.get(name).installed.size());
    }
  }

  /**
   * p, a, a plain router, b or d, a plain router, c, u. The way leads by b while that link is up.
   */
  private void startWithTwoWays(long seed) {
    network = SimNetwork.line(seed, "p", "a", "r1", "b", "r2", "c", "u");
    network.link("r1", "d");
    network.link("d", "r2");
    start("a", "b", "c", "d");
  }

  /** Routing state that GIST would trust for another ten seconds is verified first. */
  @Test
  void aRequestGoesTheWayThatThereIsNow() throws Exception {
    startWithTwoWays(1);
    byte[] first = OneNode.signed(probe(user.address()));
    send(1, 10_000, first);
    network.clock.pass(5_000);
    assertEquals(List.of("a", "b", "c"), path(only().stack(), nonce(first)));

    network.linkBetween("r1", "b").up = false; // b is still there, by r2
    byte[] second = OneNode.signed(probe(user.address()));
    send(2, 10_000, second);
    network.clock.pass(1_900);
    assertEquals(2, responses().size());
    assertEquals(List.of("a", "d", "c"), path(responses().get(1).stack(), nonce(second)));
    assertEquals(1, controllers.get("b").questions.size());
    assertEquals(1, controllers.get("d").questions.size());
    assertEquals(2, controllers.get("c").questions.size());
  }

  /**
   * A node that has left the path keeps its routing state for a while, and its refreshes reach the
   * node where the two ways meet. The answer always goes back the way by which the request came.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void aNodeThatLeftThePathGetsNoAnswers(long seed) throws Exception {
    startWithTwoWays(seed);
    user.silent = true;
    byte[] ncm = OneNode.signed(probe(user.address()));
    send(1, 20_000, ncm);
    network.clock.pass(20_000);
    assertEquals(List.of("a", "b", "c"), path(only().stack(), nonce(ncm)));
    network.linkBetween("r1", "b").up = false;
    network.clock.pass(1_001); // a next hop confirmed within the last second is not asked again
    for (int i = 2; i <= 6; i++) {
      ncm = OneNode.signed(probe(user.address()));
      send(i, 20_000, ncm);
      network.clock.pass(20_000);
      assertEquals(i, responses().size());
      assertEquals(List.of("a", "d", "c"), path(responses().get(i - 1).stack(), nonce(ncm)));
    }
  }

  /** The same next hop keeps its connection, and is asked only once for a bunch of requests. */
  @Test
  void aBunchOfRequestsLooksForThePathOnce() throws Exception {
    start();
    send(1, 10_000, OneNode.signed(probe(user.address())));
    network.clock.pass(5_000);
    SimHost a = network.host("a");
    long before = a.count(Counter.HANDSHAKE_COMPLETED);
    for (int i = 2; i <= 11; i++) {
      send(i, 10_000, OneNode.signed(probe(user.address())));
      network.clock.pass(50);
    }
    network.clock.pass(5_000);
    assertEquals(11, responses().size());
    assertEquals(before + 1, a.count(Counter.HANDSHAKE_COMPLETED));
    assertEquals(1, a.count(Counter.ASSOCIATION_OPENED));
  }

  /** Lost Queries do not cost a known next hop. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void refreshesArriveThroughHeavyLoss(long seed) throws Exception {
    network = SimNetwork.line(seed, "p", "a", "router", "b", "c", "u");
    start();
    send(1, 10_000, OneNode.signed(probe(user.address())));
    network.clock.pass(5_000);
    network.impair(0.3, 0, 20);
    byte[] ncm = OneNode.signed(probe(user.address()));
    send(2, 60_000, ncm);
    network.clock.pass(60_000);
    assertEquals(2, responses().size());
    assertEquals(List.of("a", "b", "c"), path(responses().get(1).stack(), nonce(ncm)));
    for (SimController controller : controllers.values()) {
      assertEquals(2, controller.installed.size());
    }
  }
}
