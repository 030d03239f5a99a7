// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.GistSettings;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.NetworkNotification.Kind;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.routing.StrictPeer.Answers;
import org.netserv.gist.sim.SimApplication;
import org.netserv.gist.sim.SimHost;
import org.netserv.gist.sim.SimNetwork;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.SessionId;

/**
 * Reliable sessions that begin together, before there is an association, to a peer that insists on
 * configuration data in each Confirm.
 */
class ParallelSessionsTest {
  private static final int SESSIONS = 100;
  private static final Set<String> ALL =
      new HashSet<>(IntStream.range(0, SESSIONS).mapToObj(i -> "message " + i).toList());

  private SimNetwork network = SimNetwork.line(1, "p", "a", "u");
  private SimHost p = network.host("p").start(GistSettings.DEFAULT);
  private SimHost a = network.host("a").start(GistSettings.DEFAULT);

  private void begin() {
    Mri flow = SimApplication.flow(p, network.host("u"));
    for (int i = 0; i < SESSIONS; i++) {
      p.application.send(
          "message " + i, SimApplication.session(i), flow, TransferAttributes.RELIABLE);
    }
  }

  private void assertAllDelivered(String what) {
    List<String> texts = a.application.texts();
    assertEquals(SESSIONS, texts.size(), what);
    assertEquals(ALL, new HashSet<>(texts), what + ": none twice");
    assertEquals(SESSIONS, p.application.statuses.size(), what + ": one status for each");
    assertTrue(p.application.statuses.stream().allMatch(s -> s.endsWith(" SENT")), what);
    assertEquals(0, failures(), what);
  }

  private long failures() {
    return p.application.notifications.stream()
        .filter(n -> n.kind() == Kind.COMMUNICATION_FAILURE)
        .count();
  }

  @Test
  void aStrictPeerGetsAllMessages() {
    StrictPeer strict = StrictPeer.at(a, Answers.CONFIRM_AND_DATA);
    begin();
    network.clock.pass(100);
    assertAllDelivered("at once");
    assertEquals(0, strict.confirms + strict.data, "nothing was refused");
    assertEquals(0, p.count(Counter.HANDSHAKE_RESTARTED));
    assertEquals(1, p.connections.made);
  }

  @Test
  void aStrictPeerGetsAllMessagesWhateverIsLost() {
    for (int seed = 0; seed < 20; seed++) {
      network = SimNetwork.line(seed, "p", "a", "u");
      p = network.host("p").start(GistSettings.DEFAULT);
      a = network.host("a").start(GistSettings.DEFAULT);
      StrictPeer strict = StrictPeer.at(a, Answers.CONFIRM_AND_DATA);
      network.impair(0.2, 0.2, 30);
      begin();
      network.clock.pass(60_000);
      assertAllDelivered("seed " + seed);
      assertEquals(0, strict.confirms + strict.data, "seed " + seed);
    }
  }

  /**
   * A peer refuses Confirms without the data. A filter takes the data out of all Confirms but the
   * first. All messages are sent again after another handshake, which needs no offer.
   */
  @ParameterizedTest
  @EnumSource(names = {"CONFIRM_AND_DATA", "DATA"})
  void whatAPeerRefusedIsSentAgain(Answers answers) {
    StrictPeer strict = StrictPeer.at(a, answers);
    leaveDataOut();
    begin();
    network.clock.pass(5_000);
    assertEquals(SESSIONS - 1, strict.confirms, "the peer refuses all but the first");
    assertEquals(SESSIONS - 1, strict.data);
    assertAllDelivered("after another handshake");
    assertEquals(SESSIONS - 1, p.count(Counter.HANDSHAKE_RESTARTED));
    assertEquals(SESSIONS - 1, p.count(Counter.DATA_RESENT));
    assertEquals(
        answers == Answers.CONFIRM_AND_DATA ? SESSIONS - 1 : 0, p.count(Counter.CONFIRM_REFUSED));
    assertEquals(1, p.connections.made, "by the same association");
  }

  /**
   * The control: without the data, and without Errors from the peer, all messages but one are lost.
   */
  @Test
  void withoutTheDataASilentPeerGetsOneMessage() {
    StrictPeer strict = StrictPeer.at(a, Answers.NOTHING);
    leaveDataOut();
    begin();
    network.clock.pass(5_000);
    assertEquals(1, a.application.texts().size());
    assertEquals(SESSIONS - 1, strict.confirms);
    assertEquals(SESSIONS - 1, strict.data);
  }

  /**
   * A loss that is not certain, because Errors came late, is told, and no message is sent again.
   */
  @Test
  void noneArrivesTwiceAndEachLossIsTold() {
    for (int seed = 0; seed < 30; seed++) {
      network = SimNetwork.line(seed, "p", "a", "u");
      p = network.host("p").start(GistSettings.DEFAULT);
      a = network.host("a").start(GistSettings.DEFAULT);
      StrictPeer.at(a, Answers.CONFIRM_AND_DATA);
      network.impair(0.2, 0.3, 30);
      leaveDataOut();
      begin();
      network.clock.pass(60_000);
      Set<String> known = new HashSet<>(a.application.texts());
      assertEquals(known.size(), a.application.texts().size(), "seed " + seed + ": none twice");
      for (NetworkNotification note : p.application.notifications) {
        if (note.kind() == Kind.COMMUNICATION_FAILURE) {
          known.add("message " + number(note.session()));
        }
      }
      assertEquals(ALL, known, "seed " + seed + ": delivered, or the loss is told");
    }
  }

  private static int number(SessionId session) {
    return IntStream.range(0, SESSIONS)
        .filter(i -> SimApplication.session(i).equals(session))
        .findFirst()
        .orElseThrow();
  }

  /** Takes the configuration data out of all Confirms of an association but its first. */
  private void leaveDataOut() {
    AtomicInteger confirms = new AtomicInteger();
    p.connections.leaving = m -> StrictPeer.withoutData(m, first(m, confirms));
  }

  /** Counts Confirms by the type field of the common header. */
  private static boolean first(byte[] message, AtomicInteger confirms) {
    return (message[6] & 0x7f) == 2 && confirms.getAndIncrement() == 0;
  }

  /** A peer refuses for ever. It gets a message a stated number of times, then the loss is told. */
  @Test
  void aPeerThatRefusesForEverIsGivenUp() {
    StrictPeer strict = StrictPeer.forgetful(a);
    Mri flow = SimApplication.flow(p, network.host("u"));
    p.application.send("never", SimApplication.session(1), flow, TransferAttributes.RELIABLE);
    network.clock.pass(20_000);
    assertEquals(List.of(), a.application.texts());
    assertEquals(4, strict.data, "sent, and sent again three times");
    assertEquals(List.of("never SENT"), p.application.statuses);
    assertEquals(1, failures());
    assertEquals(3, p.count(Counter.DATA_RESENT));
  }
}
