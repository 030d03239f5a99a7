// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.netserv.gist.MessageStatus;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.SendRequest;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.wire.GistError;
import org.netserv.gist.wire.SessionId;
import org.netserv.ncm.Bound;
import org.netserv.ncm.Delegation;
import org.netserv.ncm.DelegationBounds;
import org.netserv.ncm.DelegationIssuer;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.NcmSigner;
import org.netserv.ncm.PathEnd;
import org.netserv.ncm.ProbeKind;
import org.netserv.ncm.ResponseStack;
import org.netserv.ncm.ResponseStack.Signer;
import org.netserv.nslp.NslpMessage;
import org.netserv.nslp.NslpParts;
import org.netserv.publisher.PathAnswer.Outcome;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;
import org.netserv.values.PublisherKeys;

/** One message and its answer, in virtual time. */
class PublisherClientTest {
  private static final InetAddress USER = Addresses.of(new byte[] {(byte) 198, 51, 100, 7});
  private static final Destination PATH = Destination.of(USER);
  private static final Instant NOW = Instant.parse("2026-11-01T12:00:00Z");

  private final KeyPair key = PublisherKeys.generate(PublisherKeys.Algorithm.ED25519);
  private final FakeEngine engine = new FakeEngine();
  private final FakePath path = new FakePath(engine, key.getPublic());
  private final FakePath.Node first = FakePath.node();
  private final FakePath.Node second = FakePath.node();
  private final PublisherClient client = client(KnownNodes.of(List.of(first.id())));

  private PublisherClient client(KnownNodes known) {
    return client(known, new SecureRandom());
  }

  private PublisherClient client(KnownNodes known, SecureRandom random) {
    return PublisherClient.builder()
        .user("janedoe", key.getPrivate())
        .known(known)
        .clock(Clock.fixed(NOW, ZoneOffset.UTC))
        .random(random)
        .executor(Runnable::run)
        .open(engine);
  }

  @AfterEach
  void noTimerIsLeft() {
    client.close();
    assertEquals(0, engine.timersSet());
  }

  static Ncm setup() throws NcmException {
    return Ncm.builder(Method.SETUP, "com.example.app")
        .version("1.0.0")
        .set(Header.URL, "http://192.0.2.10/app.jar")
        .set(Header.DIGEST, "00".repeat(32))
        .set(Header.TTL, 600)
        .build();
  }

  private static PathAnswer now(CompletionStage<PathAnswer> stage) {
    assertTrue(stage.toCompletableFuture().isDone(), "not answered yet");
    return stage.toCompletableFuture().join();
  }

  @Test
  void aMessageIsDatedNumberedSignedAndSentDownTheFlow() throws NcmException {
    client.setup(setup(), PATH);
    SendRequest request = path.next();
    Ncm ncm = FakePath.read(request).ncm();
    assertEquals(NOW, ncm.date().orElseThrow());
    assertEquals(USER, ncm.to().orElseThrow());
    assertEquals("janedoe", ncm.user().orElseThrow());
    assertEquals(NOW.toEpochMilli(), ncm.seq().orElseThrow());
    assertEquals(engine.here, request.mri().source());
    assertEquals(USER, request.mri().destination());
    assertFalse(request.mri().upstream());
    assertEquals(TransferAttributes.RELIABLE, request.attributes());
    assertTrue(FakePath.message(request).budgetMillis() < PATH.budget().toMillis());
  }

  private Delegation delegation(KeyPair delegate, String subject) {
    try {
      DelegationBounds bounds =
          DelegationBounds.of(
              Map.of(
                  Bound.METHODS, "PROBE", Bound.MODULES, "com.example.app", Bound.TO, "0.0.0.0/0"));
      return new DelegationIssuer("janedoe", key.getPrivate(), new SecureRandom())
          .issue(delegate.getPublic(), subject, NOW, Duration.ofHours(1), bounds);
    } catch (BadValueException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aDelegateSignsInThePublishersNameWithTheDelegationOfNow() throws NcmException {
    KeyPair alice = PublisherKeys.generate(PublisherKeys.Algorithm.P256);
    FakePath alices = new FakePath(engine, alice.getPublic());
    Iterator<String> names = List.of("first", "second").iterator();
    PublisherClient delegated =
        PublisherClient.builder()
            .delegate(alice.getPrivate(), () -> delegation(alice, names.next()))
            .clock(Clock.fixed(NOW, ZoneOffset.UTC))
            .executor(Runnable::run)
            .open(engine);
    for (String subject : List.of("first", "second")) {
      delegated.probe(PATH, ProbeKind.NODE);
      Ncm ncm = FakePath.read(alices.next()).ncm();
      assertEquals("janedoe", ncm.user().orElseThrow());
      Delegation sent = ncm.delegation().orElseThrow();
      assertEquals(subject, sent.subject());
      assertTrue(NcmSigner.verify(ncm, sent.key()));
      assertTrue(sent.issuedBy(key.getPublic()));
    }
    CompletionException refused =
        assertThrows(
            CompletionException.class,
            () -> delegated.trigger(setup(), null, PATH).toCompletableFuture().join());
    assertEquals("delegation: a TRIGGER is never a delegate's", refused.getCause().getMessage());
    delegated.close();
  }

  @Test
  void answersComeInPathOrderWithWhatTheirSignaturesAreWorth() throws NcmException {
    CompletionStage<PathAnswer> stage = client.setup(setup(), PATH);
    SendRequest request = path.next();
    path.delivered(request);
    path.answer(request, PathEnd.PORT_UNREACHABLE, first, second);
    PathAnswer answer = now(stage);
    assertEquals(Outcome.DONE, answer.outcome());
    assertEquals(PathEnd.PORT_UNREACHABLE, answer.end());
    assertEquals(
        List.of(first.id(), second.id()), answer.nodes().stream().map(NodeAnswer::nodeId).toList());
    assertEquals(
        List.of(Signer.VERIFIED, Signer.UNKNOWN),
        answer.nodes().stream().map(NodeAnswer::signer).toList());
    assertEquals(List.of(1, 2), answer.nodes().stream().map(NodeAnswer::hop).toList());
    assertEquals("{\"hop\":0}", answer.nodes().get(0).data());
    assertEquals(1, engine.dropped.size(), "the next request finds the path anew");
  }

  /** A stack that was signed for another request. */
  @Test
  void whatWasSignedForAnotherRequestIsForged() throws NcmException {
    CompletionStage<PathAnswer> stage = client.setup(setup(), PATH);
    SendRequest request = path.next();
    byte[] replay =
        new NslpMessage.Response(
                FakePath.id(request), FakePath.stack(new byte[16], first), PathEnd.ENDPOINT, "")
            .encode();
    engine.respond(request, replay);
    assertEquals(Signer.FORGED, now(stage).nodes().get(0).signer());
    assertEquals(Outcome.REFUSED, now(stage).outcome());
  }

  /** The answer of many nodes does not fit into one message of GIST. */
  @Test
  void aLongAnswerComesInParts() throws NcmException {
    CompletionStage<PathAnswer> stage = client.setup(setup(), PATH);
    SendRequest request = path.next();
    byte[] nonce = FakePath.read(request).ncm().nonce().orElseThrow();
    ResponseStack stack = ResponseStack.EMPTY;
    for (int i = 0; i < 8; i++) {
      stack = stack.push(first.identity(), nonce, engine.here, 200, "x".repeat(4000));
    }
    byte[] response =
        new NslpMessage.Response(FakePath.id(request), stack, PathEnd.ENDPOINT, "").encode();
    List<byte[]> parts = NslpParts.split(response);
    assertEquals(3, parts.size());
    parts.forEach(part -> engine.respond(request, part));
    assertEquals(8, now(stage).nodes().size());
    assertEquals(Outcome.DONE, now(stage).outcome());
  }

  @Test
  void aResponseToNobodyAndOneThatDoesNotReadChangeNothing() throws NcmException {
    CompletionStage<PathAnswer> stage = client.setup(setup(), PATH);
    SendRequest request = path.next();
    byte[] response =
        new NslpMessage.Response(
                FakePath.id(request), FakePath.stack(new byte[16]), PathEnd.ENDPOINT, "")
            .encode();
    for (int length = 0; length < response.length; length++) {
      engine.respond(request, Arrays.copyOf(response, length));
    }
    engine.respond(request, request.payload());
    response[12] ^= 1;
    engine.respond(request, response);
    assertFalse(stage.toCompletableFuture().isDone());
  }

  @ParameterizedTest
  @CsvSource({
    "LAST_NODE, port unreachable, PORT_UNREACHABLE, NO_NODE, ''",
    "LAST_NODE, endpoint found, ENDPOINT_FOUND, NO_NODE, ''",
    "LAST_NODE, endpoint, ENDPOINT, NO_NODE, ''",
    "NO_RESPONSE, no response, NO_ANSWER, NO_NODE, firewall",
    "REFUSED, error HOP_LIMIT_EXCEEDED, REFUSED, REFUSED, HOP_LIMIT",
  })
  void withoutANodeTheAnswerSaysHowThatIsKnown(
      MessageStatus status, String detail, PathEnd end, Outcome outcome, String word) {
    CompletionStage<PathAnswer> stage = client.probe(PATH, ProbeKind.NODE);
    engine.status(path.next(), status, detail);
    assertEquals(end, now(stage).end());
    assertEquals(outcome, now(stage).outcome());
    assertTrue(now(stage).reason().contains(word), now(stage).reason());
    assertEquals(List.of(), now(stage).nodes());
  }

  @Test
  void aNatIsNamed() {
    CompletionStage<PathAnswer> stage = client.probe(PATH, ProbeKind.NODE);
    engine.status(path.next(), MessageStatus.REFUSED, "error " + GistError.UNTRANSLATED_OBJECT);
    assertTrue(now(stage).reason().contains("NAT"), now(stage).reason());
  }

  @ParameterizedTest
  @EnumSource(
      value = MessageStatus.class,
      names = {"NO_ROUTE", "TOO_LARGE"})
  void whatThisHostCannotSendFails(MessageStatus status) {
    CompletionStage<PathAnswer> stage = client.probe(PATH, ProbeKind.NODE);
    engine.status(path.next(), status, "why");
    Throwable failure = assertThrows(CompletionException.class, () -> now(stage)).getCause();
    assertInstanceOf(IOException.class, failure);
    assertTrue(failure.getMessage().contains("why"));
  }

  /** A sending that arrived is being worked on, whatever becomes of those after it. */
  @ParameterizedTest
  @EnumSource(
      value = MessageStatus.class,
      names = {"NO_ROUTE", "TOO_LARGE", "NO_RESPONSE", "LAST_NODE", "REFUSED"})
  void aLaterSendingThatFailsEndsNothing(MessageStatus status) throws NcmException {
    CompletionStage<PathAnswer> stage = client.setup(setup(), PATH);
    SendRequest request = path.next();
    path.delivered(request);
    engine.pass(PATH.budget().dividedBy(2).plusMillis(1));
    engine.status(path.next(), status, "0/0 no route to the peer");
    assertFalse(stage.toCompletableFuture().isDone());
    path.answer(request, PathEnd.ENDPOINT, first);
    assertEquals(Outcome.DONE, now(stage).outcome());
  }

  @Test
  void withoutARouteOrWithAForeignSourceNothingIsSent() {
    engine.routed = false;
    assertThrows(CompletionException.class, () -> now(client.probe(PATH, ProbeKind.NODE)));
    assertThrows(
        CompletionException.class, () -> now(client.probe(PATH.from(USER), ProbeKind.NODE)));
    assertTrue(engine.sent.isEmpty());
  }

  /** Nothing is heard after the first node has it: half-time, then the end. */
  @Test
  void aSilentPathIsAskedOnceMoreAndThenTimesOut() throws NcmException {
    CompletionStage<PathAnswer> stage = client.setup(setup(), PATH.within(Duration.ofSeconds(10)));
    SendRequest request = path.next();
    path.delivered(request);
    engine.pass(Duration.ofMillis(4999));
    assertTrue(engine.sent.isEmpty());
    engine.pass(Duration.ofMillis(1));
    SendRequest again = path.next();
    assertArrayEquals(request.payload(), again.payload(), "the same request, not another one");
    engine.pass(Duration.ofMillis(4999));
    assertFalse(stage.toCompletableFuture().isDone());
    engine.pass(Duration.ofMillis(1));
    assertEquals(PathEnd.TIMED_OUT, now(stage).end());
    assertEquals(Outcome.TIMEOUT, now(stage).outcome());
  }

  @Test
  void aConnectionThatFailsIsMadeAnew() throws NcmException {
    CompletionStage<PathAnswer> stage = client.setup(setup(), PATH);
    SendRequest request = path.next();
    path.delivered(request);
    engine.notify(NetworkNotification.Kind.COMMUNICATION_FAILURE, request.session());
    engine.notify(NetworkNotification.Kind.ROUTE_DELETION, request.session());
    engine.pass(Duration.ofSeconds(1));
    SendRequest again = path.next();
    assertTrue(engine.sent.isEmpty(), "once for both");
    assertEquals(FakePath.id(request), FakePath.id(again));
    path.answer(again, PathEnd.ENDPOINT, first);
    assertEquals(Outcome.DONE, now(stage).outcome());
  }

  @Test
  void aNodeThatCannotBeConnectedToIsTriedFiveTimes() throws NcmException {
    CompletionStage<PathAnswer> stage = client.setup(setup(), PATH);
    for (int i = 0; i < 5; i++) {
      engine.status(path.next(), MessageStatus.NO_ASSOCIATION, "refused");
      engine.pass(Duration.ofSeconds(1));
    }
    assertTrue(engine.sent.isEmpty());
    assertEquals(PathEnd.REFUSED, now(stage).end());
    assertTrue(now(stage).reason().contains("TCP"), now(stage).reason());
  }

  /** RFC 5971 section 4.1.3: by chance that nobody can guess, and nothing but chance. */
  @Test
  void aSessionIsDrawnByTheCryptographicGenerator() throws NcmException {
    List<SessionId> drawn = new ArrayList<>();
    SecureRandom remembered =
        new SecureRandom() {
          private static final long serialVersionUID = 1L;

          @Override
          public void nextBytes(byte[] bytes) {
            super.nextBytes(bytes);
            if (bytes.length == SessionId.BYTES) {
              drawn.add(new SessionId(bytes));
            }
          }
        };
    try (PublisherClient other = client(KnownNodes.of(List.of()), remembered)) {
      other.setup(setup(), PATH);
      other.probe(PATH, ProbeKind.NODE);
      assertTrue(drawn.contains(path.next().session()));
      assertTrue(drawn.contains(path.next().session()));
    }
  }

  @Test
  void aSessionBelongsToAModuleAndADestination() throws NcmException {
    client.setup(setup(), PATH);
    client.setup(setup(), PATH);
    client.probe(PATH, ProbeKind.NODE);
    SendRequest one = path.next();
    SendRequest two = path.next();
    SendRequest other = path.next();
    assertEquals(one.session(), two.session());
    assertNotEquals(one.session(), other.session());
    assertNotEquals(FakePath.id(one), FakePath.id(two));
    Ncm before = FakePath.read(one).ncm();
    Ncm after = FakePath.read(two).ncm();
    assertTrue(after.seq().orElseThrow() > before.seq().orElseThrow());
    assertFalse(Arrays.equals(before.nonce().orElseThrow(), after.nonce().orElseThrow()));
    path.answer(one, PathEnd.ENDPOINT, first);
    assertEquals(List.of(), engine.dropped, "the other one still needs the route");
    path.answer(two, PathEnd.ENDPOINT, first);
    assertEquals(1, engine.dropped.size());
  }

  @Test
  void aTriggerCarriesAMessageForTheWayBack() throws NcmException {
    CompletionStage<PathAnswer> stage = client.trigger(setup(), null, PATH);
    SendRequest request = path.next();
    assertEquals(USER, FakePath.read(request).trigger().to());
    Ncm inside = FakePath.read(request).ncm();
    assertEquals(engine.here, inside.to().orElseThrow());
    byte[] nonce = FakePath.read(request).trigger().nonce();
    engine.respond(
        request,
        new NslpMessage.Response(
                FakePath.id(request),
                FakePath.stack(nonce, first),
                PathEnd.ENDPOINT,
                FakePath.stack(inside.nonce().orElseThrow(), first, second.answering(403)),
                PathEnd.PORT_UNREACHABLE,
                "")
            .encode());
    PathAnswer answer = now(stage);
    assertEquals(Signer.VERIFIED, answer.nodes().get(0).signer());
    assertEquals(PathEnd.PORT_UNREACHABLE, answer.far().end());
    assertEquals(Signer.VERIFIED, answer.far().nodes().get(0).signer());
    assertEquals(Signer.UNKNOWN, answer.far().nodes().get(1).signer());
    assertEquals(Outcome.SOME_REFUSED, answer.outcome());
  }

  @Test
  void aMessageThatNoNodeWouldTakeIsNotSent() throws NcmException {
    Ncm bare = Ncm.builder(Method.SETUP, "com.example.app").version("1.0.0").build();
    Throwable failure =
        assertThrows(CompletionException.class, () -> now(client.setup(bare, PATH))).getCause();
    assertInstanceOf(IllegalArgumentException.class, failure);
    assertTrue(failure.getMessage().contains("ttl"), failure.getMessage());
    assertThrows(CompletionException.class, () -> now(client.remove(setup(), PATH)));
    PublisherClient stranger = PublisherClient.builder().executor(Runnable::run).open(engine);
    assertThrows(CompletionException.class, () -> now(stranger.setup(setup(), PATH)));
    assertThrows(CompletionException.class, () -> now(stranger.trigger(setup(), null, PATH)));
    assertTrue(engine.sent.isEmpty());
    stranger.probe(PATH, ProbeKind.NODE);
    assertTrue(FakePath.read(path.next()).user().isEmpty());
    stranger.close();
  }

  @Test
  void closingEndsWhatIsUnderWay() throws NcmException {
    CompletionStage<PathAnswer> stage = client.setup(setup(), PATH);
    client.close();
    assertEquals(PathEnd.TIMED_OUT, now(stage).end());
    Throwable failure =
        assertThrows(CompletionException.class, () -> now(client.setup(setup(), PATH))).getCause();
    assertInstanceOf(IllegalStateException.class, failure);
  }

  @ParameterizedTest
  @CsvSource({
    "200 200, ENDPOINT, DONE",
    "200 202, NO_ANSWER, DONE",
    "200 403, ENDPOINT, SOME_REFUSED",
    "403 403, ENDPOINT, REFUSED",
    "504 504, ENDPOINT, TIMEOUT",
    "200 200, TIMED_OUT, TIMEOUT",
    "200 403, TIMED_OUT, SOME_REFUSED",
    "200 200, REFUSED, SOME_REFUSED",
    "200 200, HOPS, SOME_REFUSED",
    "'', ENDPOINT, NO_NODE",
    "'', PORT_UNREACHABLE, NO_NODE",
    "'', TIMED_OUT, TIMEOUT",
    "'', REFUSED, REFUSED",
    "'', HOPS, REFUSED",
  })
  void theOutcomeIsOneWord(String statuses, PathEnd end, Outcome outcome) {
    List<NodeAnswer> nodes =
        Arrays.stream(statuses.split(" ", -1))
            .filter(s -> !s.isEmpty())
            .map(s -> new NodeAnswer(1, "n", USER, Integer.parseInt(s), "", Signer.UNKNOWN))
            .toList();
    assertEquals(outcome, new PathAnswer(end, "", nodes, null).outcome());
  }
}
