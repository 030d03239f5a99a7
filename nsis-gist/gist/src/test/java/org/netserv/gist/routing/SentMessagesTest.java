// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.gist.SendRequest;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.association.Association;
import org.netserv.gist.sim.SimApplication;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.NetworkLayerInfo;

/** Messages that certainly did not arrive are given back, and no others. */
class SentMessagesTest {
  private static final long BYTES = 100_000;

  private final SentMessages.Budget budget = new SentMessages.Budget(BYTES);
  private final SentMessages sent = new SentMessages(budget);
  private final Association one = new Connection(1);
  private final Association other = new Connection(2);
  private long now = 50_000;

  private record Connection(long id) implements Association {
    @Override
    public void send(GistMessage message) {}

    @Override
    public boolean secure() {
      return false;
    }

    @Override
    public boolean connected() {
      return true;
    }

    @Override
    public boolean heard() {
      return true;
    }

    @Override
    public NetworkLayerInfo peer() {
      return null;
    }

    @Override
    public String peerName() {
      return "";
    }

    @Override
    public void attach(User user) {}

    @Override
    public void detach(User user) {}

    @Override
    public void abort(String reason) {}
  }

  private static Pending message(byte[] payload) {
    return Pending.of(
        new SendRequest(
            payload,
            null,
            SimApplication.NSLPID,
            SimApplication.session(1),
            null,
            null,
            TransferAttributes.RELIABLE,
            null,
            -1),
        0);
  }

  private void send(String... texts) {
    for (String text : texts) {
      sent.sent(message(text.getBytes(StandardCharsets.UTF_8)), one, now);
    }
  }

  private List<String> back() {
    return sent.takeBack().stream()
        .map(p -> new String(p.request().payload(), StandardCharsets.UTF_8))
        .toList();
  }

  @Test
  void asManyErrorsAsMessages() {
    sent.confirmed(one, now);
    send("a", "b");
    sent.refused(one);
    assertTrue(sent.undecided());
    assertEquals(List.of(), back(), "the first may have arrived");
    sent.refused(one);
    assertEquals(List.of("a", "b"), back());
    assertEquals(List.of(), back(), "once");
    assertEquals(BYTES, budget.left());
  }

  @Test
  void aRefusedConfirmIsEnough() {
    sent.confirmed(one, now);
    send("a", "b");
    sent.refusedConfirm(one);
    assertEquals(List.of("a", "b"), back());
  }

  /** Errors about messages that were taken back come late, and must not count for new ones. */
  @Test
  void lateErrorsAfterARefusedConfirm() {
    sent.confirmed(one, now);
    send("a");
    sent.refusedConfirm(one);
    assertEquals(List.of("a"), back());
    now += 5;
    sent.confirmed(one, now);
    send("a");
    sent.refused(one);
    assertEquals(List.of(), back(), "it may be about the first one");
    assertFalse(sent.undecided());
  }

  @Test
  void lateErrorsAfterAnotherConfirm() {
    sent.confirmed(one, now);
    send("a");
    now += 10_000;
    sent.confirmed(one, now); // a refresh
    send("b");
    sent.refused(one);
    assertEquals(List.of(), back(), "it may be about a");
    sent.clear();
    now += 10_001;
    sent.confirmed(one, now);
    send("c");
    now += 10_001;
    sent.confirmed(one, now);
    send("d");
    sent.refused(one);
    assertEquals(List.of("d"), back(), "an Error about c would have come");
  }

  @Test
  void errorsByAnotherAssociationDoNotCount() {
    sent.confirmed(one, now);
    send("a");
    sent.refused(other);
    sent.refusedConfirm(other);
    assertEquals(List.of(), back());
    sent.sent(message(new byte[1]), other, now);
    sent.refused(one);
    assertEquals(List.of(), back());
    sent.refused(other);
    assertEquals(1, sent.takeBack().size(), "what went by the former is not known");
  }

  @Test
  void dataOfThePeerShowsThatAllArrived() {
    sent.confirmed(one, now);
    send("a");
    sent.arrived();
    sent.refused(one);
    assertEquals(List.of(), back());
    assertTrue(sent.refusedMore());
    send("b");
    sent.refused(one);
    assertEquals(List.of("b"), back());
    assertTrue(sent.refusedMore(), "and a was refused after all");
  }

  @Test
  void tooManyAreNotKept() {
    sent.confirmed(one, now);
    for (int i = 0; i < 17; i++) {
      send("a");
    }
    assertEquals(BYTES, budget.left());
    sent.refusedConfirm(one);
    assertEquals(List.of(), back(), "all or none");
    sent.confirmed(other, now);
    sent.sent(message(new byte[65_537]), other, now);
    sent.refused(other);
    assertEquals(List.of(), back());
  }

  @Test
  void theNodeKeepsABoundedNumberOfBytes() {
    SentMessages second = new SentMessages(budget);
    sent.sent(message(new byte[60_000]), one, now);
    second.sent(message(new byte[60_000]), one, now);
    assertEquals(40_000, budget.left());
    second.refused(one);
    assertEquals(List.of(), second.takeBack());
    sent.age(now + 10_000);
    assertEquals(40_000, budget.left(), "an Error may still come");
    sent.age(now + 10_001);
    assertEquals(BYTES, budget.left());
  }
}
