// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.security.KeyPair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.netserv.gist.MessageStatus;
import org.netserv.gist.SendRequest;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.PathEnd;
import org.netserv.values.Addresses;
import org.netserv.values.PublisherKeys;

/** A module with a TTL of 600 seconds in virtual time, on a path with nodes that come and go. */
class DeploymentTest {
  private static final Destination PATH =
      Destination.of(Addresses.of(new byte[] {(byte) 198, 51, 100, 7}));
  private static final Duration STEP = Duration.ofSeconds(1);
  private static final Duration TTL = Duration.ofMinutes(10);

  private final KeyPair key = PublisherKeys.generate(PublisherKeys.Algorithm.ED25519);
  private final FakeEngine engine = new FakeEngine();
  private final FakePath path = new FakePath(engine, key.getPublic());
  private final FakePath.Node a = FakePath.node();
  private final FakePath.Node b = FakePath.node();
  private final FakePath.Node c = FakePath.node();
  private final List<String> heard = new ArrayList<>();
  private PublisherClient client;
  private Deployment deployment;

  @BeforeEach
  void deploy() throws NcmException {
    client =
        PublisherClient.builder()
            .user("janedoe", key.getPrivate())
            .executor(Runnable::run)
            .open(engine);
    deployment =
        client.deploy(
            PublisherClientTest.setup(),
            PATH,
            new Deployment.Listener() {
              @Override
              public void answered(PathAnswer answer) {
                heard.add(answer.outcome().name());
              }

              @Override
              public void changed(Deployment.Change change) {
                heard.add("joined" + names(change.joined()) + " left" + names(change.left()));
              }
            });
  }

  @AfterEach
  void noTimerIsLeft() {
    client.close();
    assertEquals(0, engine.timersSet());
  }

  private String names(List<NodeAnswer> nodes) {
    StringBuilder names = new StringBuilder();
    for (NodeAnswer node : nodes) {
      names.append(
          node.nodeId().equals(a.id()) ? " a" : node.nodeId().equals(b.id()) ? " b" : " c");
    }
    return names.toString();
  }

  private void answered(PathEnd end, FakePath.Node... nodes) {
    heard.clear();
    SendRequest request = path.next();
    path.delivered(request);
    path.answer(request, end, nodes);
  }

  /** Expects the next SETUP between these shares of the TTL after the last answer. */
  private void nextAfter(double earliest, double latest) {
    engine.pass(Duration.ofMillis((long) (TTL.toMillis() * earliest) - 1));
    assertTrue(engine.sent.isEmpty(), "too early");
    Duration left = Duration.ofMillis((long) (TTL.toMillis() * (latest - earliest)) + 1);
    while (engine.sent.isEmpty() && !left.isNegative()) {
      engine.pass(STEP);
      left = left.minus(STEP);
    }
    assertEquals(1, engine.sent.size(), "too late");
  }

  @Test
  void aSetupIsSentAgainBeforeItsTimeIsOver() {
    answered(PathEnd.ENDPOINT, a, b);
    assertTrue(deployment.first().toCompletableFuture().isDone());
    assertEquals(List.of("DONE", "joined a b left"), heard);
    for (int i = 0; i < 20; i++) {
      nextAfter(0.5, 0.75);
      answered(PathEnd.ENDPOINT, a, b);
      assertEquals(List.of("DONE"), heard, "nothing has changed");
    }
    assertEquals(21, engine.dropped.size(), "each of them found the path anew");
  }

  @Test
  void aRouteChangeIsReported() {
    answered(PathEnd.ENDPOINT, a, b);
    nextAfter(0.5, 0.75);
    answered(PathEnd.ENDPOINT, a, c);
    assertEquals(List.of("DONE", "joined c left b"), heard);
    assertEquals(2, deployment.latest().orElseThrow().nodes().size());
    nextAfter(0.5, 0.75);
    engine.status(path.next(), MessageStatus.LAST_NODE, "port unreachable");
    assertEquals("joined left a c", heard.get(heard.size() - 1));
  }

  /**
   * A node that was not heard of in time may still run the module. A refusal says that the node
   * does not.
   */
  @Test
  void aPathOfWhichAPartIsMissingIsAskedAgainSoonAndLosesNobody() {
    answered(PathEnd.ENDPOINT, a, b, c);
    nextAfter(0.5, 0.75);
    answered(PathEnd.TIMED_OUT, a, b.answering(403));
    assertEquals(List.of("SOME_REFUSED", "joined left b"), heard);
    nextAfter(1 / 16.0, 1 / 8.0);
    answered(PathEnd.ENDPOINT, a, b, c);
    assertEquals(List.of("DONE", "joined b left"), heard);
  }

  @Test
  void aHostWithoutARouteTriesAgain() {
    answered(PathEnd.ENDPOINT, a);
    engine.routed = false;
    engine.pass(TTL.multipliedBy(3).dividedBy(4));
    assertTrue(engine.sent.isEmpty());
    assertEquals(List.of("DONE", "joined a left"), heard, "nothing was sent, so nothing answered");
    engine.routed = true;
    nextAfter(0, 1 / 8.0);
    answered(PathEnd.ENDPOINT, a);
    assertEquals(List.of("DONE"), heard);
  }

  @Test
  void aRefreshNowTakesThePlaceOfTheNextOne() {
    answered(PathEnd.ENDPOINT, a);
    engine.pass(TTL.dividedBy(4));
    deployment.refresh();
    deployment.refresh();
    assertEquals(1, engine.sent.size(), "one at a time");
    answered(PathEnd.ENDPOINT, a);
    nextAfter(0.5, 0.75);
  }

  @Test
  void removingEndsTheRefreshesAndTakesTheModuleAway() {
    answered(PathEnd.ENDPOINT, a);
    var removed = deployment.remove().toCompletableFuture();
    SendRequest request = path.next();
    Ncm remove = FakePath.read(request).ncm();
    assertEquals(Method.REMOVE, remove.method());
    assertEquals("com.example.app", remove.name());
    path.answer(request, PathEnd.ENDPOINT, a);
    assertTrue(removed.isDone());
    engine.pass(TTL.multipliedBy(2));
    assertTrue(engine.sent.isEmpty());
  }

  @Test
  void closingSendsNothingMore() {
    answered(PathEnd.ENDPOINT, a);
    deployment.close();
    engine.pass(TTL.multipliedBy(2));
    assertTrue(engine.sent.isEmpty());
    assertTrue(deployment.refresh().toCompletableFuture().isCompletedExceptionally());
  }

  @Test
  void aDeploymentNeedsATtl() throws NcmException {
    Ncm without = PublisherClientTest.setup().toBuilder().unset(Header.TTL).build();
    assertThrows(
        IllegalArgumentException.class,
        () -> client.deploy(without, PATH, new Deployment.Listener() {}));
    assertFalse(engine.sent.isEmpty(), "the one of the test itself");
  }
}
