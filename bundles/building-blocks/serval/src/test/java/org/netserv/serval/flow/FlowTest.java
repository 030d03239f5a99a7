// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.serval.ControlFlags;
import org.netserv.serval.ControlMessage;
import org.netserv.serval.Endpoint;

/** One flow, message by message. */
class FlowTest {
  private static final int SYN = ControlFlags.SYN;
  private static final int RSYN = ControlFlags.RSYN;
  private static final int ACK = ControlFlags.ACK;
  private static final int RST = ControlFlags.RST;
  private static final int FIN = ControlFlags.FIN;

  private static final int[] FLAGS = {SYN, SYN | ACK, ACK, RSYN, RSYN | ACK, FIN, FIN | RSYN};

  private static final FlowIdentity CLIENT = new FlowIdentity(2, 0xc11e, 100, 0);
  private static final FlowIdentity SERVER = new FlowIdentity(3, 0x5e12, -1, 0);
  private static final Endpoint HOME = Endpoint.ofIpv4(0x0a000001, 0);
  private static final Endpoint AWAY = Endpoint.ofIpv4(0x0a000002, 0);
  private static final Endpoint THIRD = Endpoint.ofIpv4(0x0a000003, 0);
  private static final Endpoint SHOP = Endpoint.ofIpv4(0x0a000009, 0);

  private End client;
  private End server;

  @BeforeEach
  void ends() {
    ends(CLIENT, SERVER);
  }

  private void ends(FlowIdentity one, FlowIdentity other) {
    client = End.client(one, HOME);
    server = End.server(other, SHOP);
  }

  /** Gives the oldest message of one end to the other. */
  private static FlowRefusal pass(End from, End to) {
    return give(from.sent.poll(), to);
  }

  private static FlowRefusal give(Outgoing out, End to) {
    return to.flow.take(out.message(), out.capability(), out.from(), 0);
  }

  private void connect() {
    client.flow.connect(0);
    assertEquals(FlowRefusal.OK, pass(client, server));
    assertEquals(FlowRefusal.OK, pass(server, client));
    assertEquals(FlowRefusal.OK, pass(client, server));
    assertEquals("CONNECTED", client.flow.state());
    assertEquals("CONNECTED", server.flow.state());
    assertTrue(client.sent.isEmpty() && server.sent.isEmpty());
  }

  private static ControlMessage with(ControlMessage message, int flags, long nonce) {
    return new ControlMessage(
        message.sourceFlow(),
        message.destinationFlow(),
        flags,
        0,
        message.verno(),
        message.ackno(),
        nonce);
  }

  /** Returns a message of the client that the server expects next. */
  private ControlMessage next(int flags) {
    return new ControlMessage(2, 3, flags, 0, 101, 0, CLIENT.nonce());
  }

  @Test
  void theHandshakeIsThatOfTheCapture() {
    client.flow.connect(0);
    Outgoing syn = client.sent.peek();
    assertEquals(new ControlMessage(2, 0, SYN, 0, 100, 0, 0xc11e), syn.message());
    assertEquals(End.SERVICE, syn.service());
    pass(client, server);
    Outgoing answer = server.sent.peek();
    assertEquals(new ControlMessage(3, 2, SYN | ACK, 0, -1, 101, 0x5e12), answer.message());
    pass(server, client);
    Outgoing ack = client.sent.peek();
    assertEquals(new ControlMessage(2, 3, ACK, 0, 101, 0, 0xc11e), ack.message());
    assertEquals(End.SERVICE, ack.service());
    assertEquals(SHOP, client.flow.peer());
    pass(client, server);
    assertEquals(HOME, server.flow.peer());
    assertEquals(Long.MAX_VALUE, server.flow.dueAt());
  }

  @Test
  void theCloseIsThatOfTheCapture() {
    connect();
    server.flow.close(0);
    assertEquals(new ControlMessage(3, 2, FIN, 0, 0, 101, 0x5e12), server.sent.peek().message());
    pass(server, client);
    assertEquals(new ControlMessage(2, 3, ACK, 0, 101, 1, 0xc11e), client.sent.peek().message());
    pass(client, server);
    assertEquals("FINWAIT2", server.flow.state());
    client.flow.close(0);
    assertEquals(new ControlMessage(2, 3, FIN, 0, 101, 1, 0xc11e), client.sent.peek().message());
    pass(client, server);
    assertEquals(new ControlMessage(3, 2, ACK, 0, 1, 102, 0x5e12), server.sent.peek().message());
    pass(server, client);
    assertTrue(client.flow.isOver());
    assertEquals("TIMEWAIT", server.flow.state());
    server.flow.due(Flow.WAIT);
    assertTrue(server.flow.isOver());
    assertEquals(List.of("connected", "peer closed", "forgotten"), client.told);
    assertEquals(client.told, server.told);
  }

  /** The published stack announces nothing and reads nothing, so neither end may use more. */
  @Test
  void abilitiesCountIfBothHaveThem() {
    ends(new FlowIdentity(2, 1, 100, 5), new FlowIdentity(3, 2, 200, 6));
    connect();
    assertEquals(4, client.flow.abilities());
    assertEquals(4, server.flow.abilities());
    ends(new FlowIdentity(2, 1, 100, 5), SERVER);
    connect();
    assertEquals(0, client.flow.abilities() + server.flow.abilities());
    ends(CLIENT, new FlowIdentity(3, 2, 200, 6));
    connect();
    assertEquals(0, client.flow.abilities() + server.flow.abilities());
  }

  /** A client of the published stack may have anything in the byte of the abilities. */
  @Test
  void abilitiesInASynCountForNothing() {
    ends(CLIENT, new FlowIdentity(3, 2, 200, 6));
    ControlMessage syn = new ControlMessage(2, 0, SYN, 0xff, 100, 0, CLIENT.nonce());
    server.flow.take(syn, 0, HOME, 0);
    assertEquals(6, server.sent.poll().message().abilities());
    ControlMessage ack = new ControlMessage(2, 3, ACK, 0xff, 101, 201, CLIENT.nonce());
    assertEquals(FlowRefusal.OK, server.flow.take(ack, 0, HOME, 0));
    assertEquals("CONNECTED", server.flow.state());
    assertEquals(0, server.flow.abilities());
  }

  /** Whatever the flags: a message with another nonce changes nothing, and gets no answer. */
  @Test
  void aWrongNonceChangesNothing() {
    connect();
    for (String state : List.of("CONNECTED", "RECV", "CLOSEWAIT")) {
      if (state.equals("RECV")) {
        client.flow.move(AWAY, 0);
        pass(client, server);
        server.sent.clear();
      } else if (state.equals("CLOSEWAIT")) {
        server.flow.take(fin(), 0, HOME, 0);
        server.sent.clear();
      }
      String before = view(server);
      for (int flags = 0; flags < 256; flags++) {
        for (int verno = 99; verno < 106; verno++) {
          ControlMessage message = new ControlMessage(2, 3, flags, 0, verno, 0, CLIENT.nonce() + 1);
          FlowRefusal refusal = server.flow.take(message, 7, THIRD, 0);
          assertNotEquals(FlowRefusal.OK, refusal, state + " " + flags);
          assertEquals(before, view(server), state + " " + flags);
        }
      }
    }
  }

  private ControlMessage fin() {
    return new ControlMessage(2, 3, FIN, 0, 102, 0, CLIENT.nonce());
  }

  private static String view(End end) {
    return String.join(
        " ",
        end.flow.state(),
        end.flow.moveState(),
        String.valueOf(end.flow.peer()),
        String.valueOf(end.flow.own()),
        String.valueOf(end.flow.dueAt()),
        end.told.toString(),
        end.sent.toString());
  }

  @Test
  void aWrongNonceOfTheSynAckAfterTheHandshakeChangesNothing() {
    client.flow.connect(0);
    pass(client, server);
    Outgoing answer = server.sent.peek();
    ControlMessage early = with(answer.message(), SYN | ACK, 1);
    ControlMessage wrong =
        new ControlMessage(3, 2, SYN | ACK, 0, early.verno(), early.ackno() + 1, 1);
    assertEquals(FlowRefusal.WRONG_ACKNO, client.flow.take(wrong, 0, SHOP, 0));
    assertEquals("REQUEST", client.flow.state());
    pass(server, client);
    client.sent.clear();
    assertEquals(FlowRefusal.WRONG_NONCE, client.flow.take(wrong, 0, SHOP, 0));
    assertTrue(client.sent.isEmpty());
  }

  /** The retransmitted SYN of a client came to another instance, which has to forget it. */
  @Test
  void theSecondInstanceGetsARst() {
    client.flow.connect(0);
    Outgoing syn = client.sent.peek();
    pass(client, server);
    End second = End.server(new FlowIdentity(77, 0x7777, 50, 0), THIRD);
    give(syn, second);
    pass(server, client);
    client.sent.clear();
    assertEquals(FlowRefusal.ANOTHER_INSTANCE, pass(second, client));
    Outgoing rst = client.sent.peek();
    assertEquals(THIRD, rst.to());
    assertEquals(FlowRefusal.OK, pass(client, second));
    assertTrue(second.flow.isOver());
    assertEquals("CONNECTED", client.flow.state());
    assertEquals(SHOP, client.flow.peer());
  }

  @Test
  void aRstNeedsOneOfTheTwoNonces() {
    for (long nonce : new long[] {CLIENT.nonce(), SERVER.nonce()}) {
      ends();
      connect();
      ControlMessage rst = new ControlMessage(2, 3, RST | ACK, 0, 0, 0, nonce);
      assertEquals(FlowRefusal.WRONG_NONCE, server.flow.take(with(rst, RST, 5), 0, HOME, 0));
      assertEquals(FlowRefusal.OK, server.flow.take(rst, 0, HOME, 0));
      assertEquals(List.of("connected", "reset", "forgotten"), server.told);
    }
  }

  /** A RST answers a message by its own nonce; a SYN and a RST get none. */
  @Test
  void messagesForNoFlow() {
    ControlMessage fin = new ControlMessage(2, 3, FIN, 0, 10, 20, 0x99);
    assertEquals(new ControlMessage(3, 2, RST | ACK, 0, 20, 11, 0x99), fin.refusal());
    assertEquals(11, with(fin, RSYN, 0x99).refusal().ackno());
    assertEquals(10, with(fin, ACK, 0x99).refusal().ackno());
    assertNull(with(fin, SYN, 0x99).refusal());
    assertNull(with(fin, RST | ACK, 0x99).refusal());
  }

  @Test
  void flowsAndAcknosHaveToBeThoseOfTheFlow() {
    connect();
    String before = view(server);
    ControlMessage good = next(RSYN);
    for (ControlMessage wrong :
        List.of(
            new ControlMessage(9, 3, RSYN, 0, 101, 0, CLIENT.nonce()),
            new ControlMessage(2, 9, RSYN, 0, 101, 0, CLIENT.nonce()),
            new ControlMessage(0, 3, RSYN, 0, 101, 0, CLIENT.nonce()))) {
      assertEquals(FlowRefusal.WRONG_FLOW, server.flow.take(wrong, 0, AWAY, 0));
    }
    ControlMessage ahead = new ControlMessage(2, 3, RSYN, 0, 101, 1, CLIENT.nonce());
    assertEquals(FlowRefusal.WRONG_ACKNO, server.flow.take(ahead, 0, AWAY, 0));
    assertEquals(before, view(server));
    assertEquals(FlowRefusal.OK, server.flow.take(good, 0, AWAY, 0));
  }

  @Test
  void flagsThatDoNotGoTogether() {
    connect();
    for (int flags :
        new int[] {
          0,
          1,
          2,
          ControlFlags.NACK,
          ControlFlags.NACK | ACK,
          SYN | FIN,
          SYN | RSYN,
          SYN | RST,
          RST | FIN,
          RST | RSYN
        }) {
      assertEquals(FlowRefusal.FLAGS, server.flow.take(next(flags), 0, HOME, 0));
    }
  }

  @Test
  void aMove() {
    connect();
    client.flow.move(AWAY, 0);
    Outgoing rsyn = client.sent.peek();
    assertEquals(new ControlMessage(2, 3, RSYN, 0, 101, 0, 0xc11e), rsyn.message());
    assertEquals(AWAY, rsyn.from());
    assertEquals(HOME, client.flow.own());
    pass(client, server);
    assertTrue(server.frozen);
    assertEquals(HOME, server.flow.peer()); // until the mover confirms
    Outgoing answer = server.sent.peek();
    assertEquals(new ControlMessage(3, 2, RSYN | ACK, 0, 0, 102, 0x5e12), answer.message());
    assertEquals(AWAY, answer.to());
    pass(server, client);
    assertEquals(AWAY, client.flow.own());
    assertEquals(FlowRefusal.OK, pass(client, server));
    assertEquals(AWAY, server.flow.peer());
    assertFalse(server.frozen);
    assertEquals("SETTLED", server.flow.moveState());
    assertEquals(Long.MAX_VALUE, Math.min(client.flow.dueAt(), server.flow.dueAt()));
  }

  /** The confirmation counts from the new address alone. */
  @Test
  void aConfirmationFromElsewhereIsNone() {
    connect();
    client.flow.move(AWAY, 0);
    pass(client, server);
    ControlMessage ack = new ControlMessage(2, 3, ACK, 0, 102, 0, CLIENT.nonce());
    server.flow.take(ack, 0, HOME, 0);
    server.flow.take(ack, 0, THIRD, 0);
    assertEquals("RECV", server.flow.moveState());
    server.flow.take(ack, 0, AWAY, 0);
    assertEquals("SETTLED", server.flow.moveState());
  }

  /** Three moves, their RSYNs in every order and some twice: the last one counts. */
  @Test
  void reorderedAndReplayedMovesSettleOnTheLast() {
    Random random = new Random(3);
    for (int round = 0; round < 500; round++) {
      ends();
      connect();
      List<Outgoing> moves = new ArrayList<>();
      for (Endpoint to : List.of(AWAY, HOME, THIRD)) {
        client.flow.move(to, 0);
        moves.add(client.sent.poll());
      }
      moves.add(moves.get(random.nextInt(3)));
      moves.add(moves.get(random.nextInt(3)));
      Collections.shuffle(moves, random);
      for (Outgoing move : moves) {
        give(move, server);
      }
      while (!server.sent.isEmpty() || !client.sent.isEmpty()) {
        End from = server.sent.isEmpty() ? client : server;
        pass(from, from == client ? server : client);
      }
      assertEquals(THIRD, server.flow.peer());
      assertEquals(THIRD, client.flow.own());
      for (Outgoing move : moves) {
        assertEquals(FlowRefusal.STALE, give(move, server)); // replayed afterwards
      }
      assertEquals(THIRD, server.flow.peer());
      assertEquals("SETTLED", server.flow.moveState());
    }
  }

  /** A RSYN that somebody copies to another address is not noted again. */
  @Test
  void aReplayFromElsewhereIsNotNoted() {
    connect();
    client.flow.move(AWAY, 0);
    Outgoing rsyn = client.sent.poll();
    give(rsyn, server);
    server.sent.clear();
    assertEquals(FlowRefusal.STALE, server.flow.take(rsyn.message(), 0, THIRD, 0));
    assertEquals(AWAY, server.sent.poll().to());
    assertEquals(FlowRefusal.STALE, server.flow.take(rsyn.message(), 0, AWAY, 0));
    assertEquals(RSYN | ACK, server.sent.poll().message().flags());
  }

  /** FIN during a move goes as FIN and RSYN, from the new address. */
  @Test
  void aNewerMessageInheritsFlags() {
    connect();
    client.flow.move(AWAY, 0);
    client.flow.close(0);
    client.sent.poll();
    Outgoing both = client.sent.poll();
    assertEquals(FIN | RSYN, both.message().flags());
    assertEquals(102, both.message().verno());
    assertEquals(AWAY, both.from());
    give(both, server);
    assertEquals("CLOSEWAIT", server.flow.state());
    assertEquals("RECV", server.flow.moveState());
  }

  /** The peer got the FIN, but not the RSYN that replaced it. */
  @Test
  void anAcknowledgementOfAReplacedFinCounts() {
    connect();
    client.flow.close(0);
    pass(client, server);
    client.flow.move(AWAY, 0);
    assertEquals(FIN | RSYN, client.sent.poll().message().flags());
    pass(server, client);
    assertEquals("FINWAIT2", client.flow.state());
    assertEquals("SENT", client.flow.moveState());
    client.flow.due(client.flow.dueAt());
    assertEquals(RSYN, client.sent.poll().message().flags());
  }

  /** The client has taken the SYN-ACK from before the move. */
  @Test
  void aServerMovesBeforeTheAcknowledgement() {
    client.flow.connect(0);
    pass(client, server);
    server.flow.move(THIRD, 0);
    while (!server.sent.isEmpty() || !client.sent.isEmpty()) {
      End from = server.sent.isEmpty() ? client : server;
      pass(from, from == client ? server : client);
    }
    assertEquals(THIRD, server.flow.own());
    assertEquals(THIRD, client.flow.peer());
    assertEquals("SETTLED", server.flow.moveState());
    assertEquals("SETTLED", client.flow.moveState());
  }

  @Test
  void bothMoveAtOnce() {
    connect();
    client.flow.move(AWAY, 0);
    server.flow.move(THIRD, 0);
    pass(client, server);
    pass(server, client);
    assertEquals("SENT_RECV", client.flow.moveState());
    assertEquals("SENT_RECV", server.flow.moveState());
    while (!server.sent.isEmpty() || !client.sent.isEmpty()) {
      End from = server.sent.isEmpty() ? client : server;
      pass(from, from == client ? server : client);
    }
    assertEquals(AWAY, server.flow.peer());
    assertEquals(THIRD, client.flow.peer());
    assertEquals("SETTLED", client.flow.moveState());
    assertEquals("SETTLED", server.flow.moveState());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anAbortEndsBoth(boolean byClient) {
    connect();
    End one = byClient ? client : server;
    End other = byClient ? server : client;
    one.flow.abort(0);
    assertTrue(one.flow.isOver());
    assertEquals(RST | ACK, one.sent.peek().message().flags());
    assertEquals(FlowRefusal.OK, pass(one, other));
    assertEquals(List.of("connected", "reset", "forgotten"), other.told);
  }

  /** A request whose client never acknowledges is forgotten. */
  @Test
  void aRequestExpires() {
    client.flow.connect(0);
    pass(client, server);
    while (server.flow.dueAt() < Flow.WAIT) {
      server.flow.due(server.flow.dueAt());
    }
    assertEquals("RESPOND", server.flow.state());
    server.flow.due(Flow.WAIT);
    assertTrue(server.flow.isOver());
    assertEquals(List.of("forgotten"), server.told);
  }

  @Test
  void triesAndTheirTimes() {
    client.flow.connect(0);
    List<Long> times = new ArrayList<>();
    while (client.flow.dueAt() != Long.MAX_VALUE) {
      times.add(client.flow.dueAt());
      client.flow.due(client.flow.dueAt());
    }
    assertEquals(ControlChannel.TRIES, client.sent.size());
    assertEquals(List.of(3000L, 9000L, 21000L, 45000L, 93000L, 189000L), times.subList(0, 6));
    assertEquals(120_000, times.get(14) - times.get(13));
    assertEquals(List.of("silent", "forgotten"), client.told);
  }

  @Test
  void theRoundTripIsThatOfJacobsonAndKarn() {
    RoundTrip trip = new RoundTrip();
    assertEquals(3_000, trip.timeout());
    trip.sample(1_000);
    assertEquals(3_000, trip.timeout()); // 1,000 + 4 * 500
    for (int i = 0; i < 100; i++) {
      trip.sample(1_000);
    }
    assertTrue(Math.abs(trip.timeout() - 1_000) <= 10);
    trip.backOff();
    assertTrue(Math.abs(trip.timeout() - 2_000) <= 20);
    for (int i = 0; i < 100; i++) {
      trip.sample(1);
    }
    assertEquals(RoundTrip.LEAST, trip.timeout());
    for (int i = 0; i < 100; i++) {
      trip.backOff();
    }
    assertEquals(RoundTrip.MOST, trip.timeout());
    trip.begin();
    assertEquals(RoundTrip.LEAST, trip.timeout());
  }

  /** The SYN was sent seven times. The RSYN does not wait as long as the SYN did. */
  @Test
  void aLossySetUpDoesNotDelayAMove() {
    client.flow.connect(0);
    for (int i = 0; i < 6; i++) {
      client.sent.clear();
      client.flow.due(client.flow.dueAt());
    }
    long now = 200_000;
    server.flow.take(client.sent.poll().message(), 0, HOME, now);
    client.flow.take(server.sent.poll().message(), 0, SHOP, now);
    server.flow.take(client.sent.poll().message(), 0, HOME, now);
    client.flow.heard();
    client.flow.move(AWAY, now);
    assertEquals(now + RoundTrip.FIRST, client.flow.dueAt());
    client.flow.due(now + RoundTrip.FIRST);
    assertEquals(now + 3 * RoundTrip.FIRST, client.flow.dueAt());
    client.flow.move(THIRD, now + RoundTrip.FIRST);
    assertEquals(now + 2 * RoundTrip.FIRST, client.flow.dueAt());
    server.flow.take(client.sent.peekLast().message(), 0, THIRD, now);
    assertEquals(now + RoundTrip.LEAST, server.flow.dueAt()); // its SYN-ACK gave a sample
  }

  /** The peer may send to the old address, and to each that it may have noted since. */
  @Test
  void addressesAreUsedUntilTheMoveIsAcknowledged() {
    connect();
    client.flow.move(AWAY, 0);
    client.flow.move(THIRD, 0);
    client.sent.poll();
    for (Endpoint used : List.of(HOME, AWAY, THIRD)) {
      assertTrue(client.flow.uses(used));
    }
    assertFalse(client.flow.uses(SHOP));
    pass(client, server);
    pass(server, client);
    assertFalse(client.flow.uses(HOME));
    assertFalse(client.flow.uses(AWAY));
    assertTrue(client.flow.uses(THIRD));
  }

  /** The client may have taken the SYN-ACK from the old address, and acknowledge to there. */
  @Test
  void aServerThatMovesEarlyUsesTheOldAddress() {
    client.flow.connect(0);
    pass(client, server);
    server.flow.move(THIRD, 0);
    assertTrue(server.flow.uses(SHOP));
    while (!server.sent.isEmpty() || !client.sent.isEmpty()) {
      End from = server.sent.isEmpty() ? client : server;
      pass(from, from == client ? server : client);
    }
    assertFalse(server.flow.uses(SHOP));
    assertTrue(server.flow.uses(THIRD));
  }

  /** A flow that is over takes nothing, does nothing, and has no time. */
  @Test
  void overIsOver() {
    connect();
    server.flow.abort(0);
    server.sent.clear();
    String before = view(server);
    for (int flags = 0; flags < 256; flags++) {
      server.flow.take(next(flags), 0, HOME, 0);
    }
    server.flow.close(0);
    server.flow.abort(0);
    server.flow.move(AWAY, 0);
    server.flow.due(1_000_000);
    assertEquals("OVER", server.flow.state());
    assertEquals(0, server.sent.size());
    assertEquals(before.replace(SHOP.toString(), AWAY.toString()), view(server));
  }

  /** Anything at all, in any order: no exception, and an answer by name. */
  @Test
  void nonsense() {
    Random random = new Random(10);
    int[] vernos = {-1, 0, 1, 99, 100, 101, 102, 103};
    Endpoint[] places = {HOME, AWAY, THIRD, SHOP};
    int taken = 0;
    for (int round = 0; round < 20_000; round++) {
      ends();
      End end = random.nextBoolean() ? client : server;
      for (int step = 0; step < 12; step++) {
        if (random.nextInt(8) == 0) {
          connectIfNew(end);
        }
        switch (random.nextInt(12)) {
          case 0 -> end.flow.close(step);
          case 1 -> end.flow.move(places[random.nextInt(4)], step);
          case 2 -> end.flow.due(Math.min(1_000_000, end.flow.dueAt()));
          default -> {
            boolean zero = random.nextInt(4) == 0;
            ControlMessage message =
                new ControlMessage(
                    end == client ? SERVER.flowId() : CLIENT.flowId(),
                    zero ? 0 : end.flow.identity().flowId(),
                    FLAGS[random.nextInt(FLAGS.length)] ^ ((1 << random.nextInt(24)) & 0xfc),
                    random.nextInt(256),
                    vernos[random.nextInt(vernos.length)],
                    vernos[random.nextInt(vernos.length)],
                    (random.nextInt(4) == 0) == (end == client) ? CLIENT.nonce() : SERVER.nonce());
            FlowRefusal refusal =
                end.flow.take(message, random.nextInt(8), places[random.nextInt(4)], step);
            taken += refusal == FlowRefusal.OK ? 1 : 0;
          }
        }
      }
    }
    assertTrue(taken > 1_500, "only " + taken);
  }

  private static void connectIfNew(End end) {
    if (end.flow.state().equals("CLOSED")) {
      end.flow.connect(0);
    }
  }
}
