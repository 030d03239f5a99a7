// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.overload.feedback.FeedbackKind;
import org.netserv.packet.Verdict;

/** Rates in virtual time. Each test has six seconds of requests, and looks at the last five. */
class ThrottleTest {
  private static final int SECONDS = 5; // measured, behind the first one

  private int branches;

  /** Counts of one kind of client over the measured seconds. */
  private static final class Client {
    final String address;
    final int rate;
    final String more;
    final String method;
    double due;
    int sent;
    int passed;

    Client(String address, int rate, String method, String more) {
      this.address = address;
      this.rate = rate;
      this.method = method;
      this.more = more;
    }

    double perSecond() {
      return passed / (double) SECONDS;
    }
  }

  private static Client normal(int host, int rate) {
    return new Client("198.51.100." + host, rate, "INVITE", "");
  }

  private void play(Rig rig, FeedbackKind kind, int value, Client... clients) {
    int millis = 0;
    for (; millis < 1000 * (1 + SECONDS); millis++) {
      if (millis % 200 == 0) {
        rig.feedback(kind, value, 500);
      }
      if (millis == 1000) {
        for (Client client : clients) {
          client.sent = 0;
          client.passed = 0;
        }
      }
      rig.sleep(0.001);
      for (Client client : clients) {
        client.due += client.rate / 1000.0;
        while (client.due >= 1) {
          client.due--;
          client.sent++;
          String text = Rig.request(client.method, "t" + branches++, client.more);
          client.passed += rig.send(client.address, text) == Verdict.PASS ? 1 : 0;
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 10, 50, 90, 100})
  void lossRejectsItsPercentage(int oc) {
    Client flood = normal(2, 1000);
    play(new Rig(), FeedbackKind.LOSS, oc, flood);
    assertEquals(1000 - 10 * oc, flood.perSecond(), 20);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 10, 50, 90, 100})
  void lossByChanceRejectsItsPercentage(int oc) {
    Client flood = normal(2, 1000);
    play(new Rig("fair", "off"), FeedbackKind.LOSS, oc, flood);
    assertEquals(1000 - 10 * oc, flood.perSecond(), 25);
  }

  /** As much comes by streams as the first number says; the second is the part of the packets. */
  @ParameterizedTest
  @CsvSource({"0, 400", "2000, 200", "100, 290"})
  void aRateIsSharedWithTheOtherWay(int other, int part) {
    Rig rig = new Rig();
    rig.other.tell(other, Long.MAX_VALUE / 2); // never stale
    Client flood = normal(2, 2000);
    play(rig, FeedbackKind.RATE, 400, flood);
    assertEquals(part, flood.perSecond(), 0.03 * part);
  }

  @Test
  void aDemandThatIsNotRenewedLeavesAll() {
    Demand demand = new Demand();
    demand.tell(2000, 5_000_000);
    assertEquals(200, demand.leaves(400, 6_000_000));
    assertEquals(400, demand.leaves(400, 7_000_001));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 20, 150, 437})
  void rateLetsNoMoreThanItsRequestsPass(int rate) {
    Client flood = normal(2, 2000);
    play(new Rig(), FeedbackKind.RATE, rate, flood);
    assertTrue(flood.passed <= SECONDS * rate + 10, "passed " + flood.passed);
    assertEquals(rate, flood.perSecond(), Math.max(1, 0.03 * rate));
  }

  @Test
  void rateZeroRejectsAllButExempt() {
    Client flood = normal(2, 100);
    Client byes = new Client("198.51.100.3", 100, "BYE", "in-dialog");
    play(new Rig(), FeedbackKind.RATE, 0, flood, byes);
    assertEquals(0, flood.passed);
    assertEquals(byes.sent, byes.passed);
  }

  @Test
  void belowTheRateNothingIsRejected() {
    Client some = normal(2, 90);
    play(new Rig(), FeedbackKind.RATE, 100, some);
    assertEquals(some.sent, some.passed);
  }

  @Test
  void aFloodTakesNothingFromModestSources() {
    Client flood = normal(2, 2000);
    Client[] all = {flood, normal(3, 20), normal(4, 20), normal(5, 20), normal(6, 5)};
    play(new Rig(), FeedbackKind.RATE, 200, all);
    for (int i = 1; i < all.length; i++) {
      assertTrue(all[i].passed >= 0.99 * all[i].sent, "client " + i + " " + all[i].passed);
    }
    assertEquals(135, flood.perSecond(), 6);
  }

  @Test
  void greedySourcesGetEqualSharesWhateverTheyAsk() {
    Client a = normal(2, 500);
    Client b = normal(3, 2000);
    play(new Rig(), FeedbackKind.RATE, 400, a, b);
    assertEquals(a.perSecond(), b.perSecond(), 0.05 * 200);
    assertEquals(400, a.perSecond() + b.perSecond(), 15);
  }

  @Test
  void preferredRequestsPassFirst() {
    for (FeedbackKind kind : new FeedbackKind[] {FeedbackKind.LOSS, FeedbackKind.RATE}) {
      Client flood = normal(2, 900);
      Client ets = new Client("198.51.100.3", 50, "INVITE", "Resource-Priority: ets.0\n");
      Client dialog = new Client("198.51.100.4", 50, "UPDATE", "in-dialog");
      play(new Rig(), kind, kind == FeedbackKind.LOSS ? 80 : 200, flood, ets, dialog);
      assertTrue(ets.passed >= 0.99 * ets.sent, kind + " " + ets.passed);
      assertTrue(dialog.passed >= 0.99 * dialog.sent, kind + " " + dialog.passed);
      assertEquals(100, flood.perSecond(), 6);
    }
  }

  @Test
  void tooManyPreferredRequestsAreThinnedAsWell() {
    for (FeedbackKind kind : new FeedbackKind[] {FeedbackKind.LOSS, FeedbackKind.RATE}) {
      Client ets = new Client("198.51.100.3", 1000, "INVITE", "Resource-Priority: ets.0\n");
      play(new Rig(), kind, kind == FeedbackKind.LOSS ? 80 : 200, ets);
      assertEquals(200, ets.perSecond(), 20, kind.text());
    }
  }

  @Test
  void resourcePrioritiesOfOtherNamespacesAreNormal() {
    Client dsn = new Client("198.51.100.3", 1000, "INVITE", "Resource-Priority: dsn.flash\n");
    play(new Rig(), FeedbackKind.LOSS, 100, dsn);
    assertEquals(0, dsn.passed);
  }

  @Test
  void occupancyFindsTheFractionThatTheServerCanTake() {
    Rig rig = new Rig();
    double capacity = 300;
    Client flood = normal(2, 1000);
    int before = 0;
    int passed = 0;
    for (int step = 0; step < 100; step++) {
      double occupancy = 10 * (passed - before) / capacity * 1000;
      before = passed;
      rig.feedback(FeedbackKind.OCCUPANCY, (int) Math.min(3000, occupancy), 500);
      for (int i = 0; i < 100; i++) {
        rig.sleep(0.001);
        String text = Rig.request("INVITE", "t" + branches++, "");
        passed += rig.send(flood.address, text) == Verdict.PASS ? 1 : 0;
      }
    }
    assertEquals(0.9 * capacity, 10.0 * (passed - before), 40);
  }

  @Test
  void aWindowHoldsAsManyRequestsAsItSays() {
    Rig rig = new Rig();
    rig.feedback(FeedbackKind.WINDOW, 5, 60_000);
    int passed = 0;
    for (int i = 0; i < 20; i++) {
      passed += rig.send(Rig.request("INVITE", "w" + i, "")) == Verdict.PASS ? 1 : 0;
    }
    assertEquals(5, passed);
    assertEquals(5, rig.edge.inFlight());
    rig.reply(Rig.response(100, Rig.request("INVITE", "w0", "")));
    assertEquals(4, rig.edge.inFlight());
    assertEquals(Verdict.PASS, rig.send(Rig.request("INVITE", "w20", "")));
  }

  @Test
  void requestsThatGetNoResponseLeaveTheWindow() {
    Rig rig = new Rig("max-transactions", "64");
    rig.feedback(FeedbackKind.WINDOW, 1, 60_000);
    rig.send(Rig.request("INVITE", "lost", ""));
    for (int i = 0; i < 100; i++) {
      rig.sleep(0.05);
      rig.send(Rig.request("BYE", "tick", "in-dialog"));
    }
    assertEquals(0, rig.edge.inFlight());
  }

  @Test
  void aLocalWindowFollowsResponseTimes() {
    Rig rig = new Rig("algorithm", "window", "window", "10", "response-time", "100");
    int slow = 0;
    for (int i = 0; i < 40; i++) {
      String text = Rig.request("INVITE", "l" + i, "");
      rig.send(text);
      rig.sleep(0.3);
      rig.reply(Rig.response(180, text));
      slow++;
    }
    int passed = 0;
    for (int i = 0; i < 20; i++) {
      passed += rig.send(Rig.request("INVITE", "m" + i, "")) == Verdict.PASS ? 1 : 0;
    }
    assertEquals(40, slow);
    assertEquals(1, passed);
  }

  @Test
  void aStepOfTheFloodIsThrottledWithinItsFirstSecond() {
    Rig rig = new Rig();
    Client flood = normal(2, 2000);
    Client calm = normal(3, 100);
    play(rig, FeedbackKind.RATE, 400, calm);
    int passed = 0;
    for (int i = 0; i < 2000; i++) {
      rig.sleep(0.0005);
      if (i % 400 == 0) {
        rig.feedback(FeedbackKind.RATE, 400, 500);
      }
      String text = Rig.request("INVITE", "s" + i, "");
      passed += rig.send(flood.address, text) == Verdict.PASS ? 1 : 0;
    }
    assertTrue(passed <= 420, "passed " + passed);
  }
}
