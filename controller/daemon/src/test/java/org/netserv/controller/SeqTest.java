// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.ncm.Header;

/** A sequence number cannot lock its publisher out, and the operator can have it forgotten. */
final class SeqTest extends LivingNode {
  private static final long MINUTE = 60_000;

  private Answer setup(String module, long seq) throws Exception {
    return node.ask(node.setup("jane", module, "1.0.0").set(Header.SEQ, Long.toUnsignedString(seq)))
        .answer();
  }

  /**
   * Returns true if the sequence number is refused. An accepted message has no answer yet, because
   * the node still looks for its container.
   */
  private boolean tooLow(String module) throws Exception {
    return node
        .send(SmallNode.sign(node.setup("jane", module, "1.0.0").set(Header.SEQ, 5)))
        .stream()
        .anyMatch(reply -> reply.answer().status() == 409);
  }

  private ObjectNode reset(String publisher, String module) {
    return node.op(
        SmallNode.request("reset-seq").put("publisher", publisher).put("module", module));
  }

  @Test
  void microsecondsAreRefusedAndLockNobodyOut() throws Exception {
    long now = node.loop.wall();
    for (long seq : new long[] {now * 1000, now + 10 * MINUTE + 1, -1, Long.MIN_VALUE}) {
      Answer answer = setup("a.b", seq);
      assertEquals("403 seq", answer.status() + " " + answer.header());
      assertTrue(answer.reason().startsWith("milliseconds since 1970, at most 10 minutes ahead"));
      assertTrue(answer.reason().contains(now + " (2026-01-02T03:04:05Z)"), answer.reason());
    }
    assertEquals(200, setup("a.b", now).status());
  }

  @Test
  void smallCountersAndTheNearFutureAreTaken() throws Exception {
    assertEquals(200, setup("a.b", 1).status());
    assertEquals(200, setup("a.b", 2).status());
    assertEquals(409, setup("a.b", 2).status());
    assertEquals(200, setup("a.b", node.loop.wall() + 10 * MINUTE).status());
  }

  @Test
  void theOperatorHasItForgottenForGood() throws Exception {
    long ahead = node.loop.wall() + 9 * MINUTE;
    assertEquals(200, setup("a.b", ahead).status());
    assertEquals(200, setup("c.d", ahead).status());
    assertEquals(409, setup("a.b", 5).status());
    assertFalse(reset("john", null).path("ok").asBoolean());
    assertFalse(reset("jane", "e.f").path("ok").asBoolean());
    assertEquals("[\"a.b\"]", reset("jane", "a.b").path("modules").toString());
    String line = node.auditLines().get(node.auditLines().size() - 1);
    assertTrue(line.contains("RESET-SEQ") && line.contains("admin uid=0"), line);
    node = node.restart().begin();
    assertTrue(tooLow("c.d"));
    assertFalse(tooLow("a.b"), "also after a restart");
    assertEquals("[\"a.b\",\"c.d\"]", reset("jane", null).path("modules").toString());
    assertFalse(tooLow("c.d"));
  }
}
