// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.ncm.NcmReply;
import org.netserv.ncm.Header;

/** Modules that have run, and do not start in their time when their container has come back. */
final class LateStartTest extends LivingNode {
  private static final String BOTH = "jane/a.b=1.0.0:running jane/c.d=1.0.0:running";

  private int lates;

  /** Lets the module start too slowly in so many containers to come. */
  private void late(String module, int times) {
    lates = times;
    node.born = agent -> agent.lateModule = lates-- > 0 ? module : "";
  }

  private long dumps() {
    return node.spawner.asked.stream()
        .filter(r -> r.verb().equals("stop") && r.values().get("dump").equals("1"))
        .count();
  }

  private ObjectNode why(String module) {
    return node.op(SmallNode.request("why").put("module", module));
  }

  @Test
  void onceLateItRunsInTheNextContainer() throws Exception {
    setup("jane", "a.b", "1.0.0");
    setup("jane", "c.d", "1.0.0");
    late("a.b", 1);
    node.die("jane", "");
    node.loop.advance(20 + FakeAgent.START_MILLIS);
    assertEquals(1, dumps(), "the container is stopped, and says where it hangs");
    assertEquals("jane/a.b=1.0.0:recovering jane/c.d=1.0.0:recovering", states());
    assertEquals("late: timeout: did not start within 10000 ms", because("a.b"));
    assertEquals(
        "the container is started again: a.b: timeout: did not start within 10000 ms",
        because("c.d"));
    node.loop.advance(999);
    assertEquals(2, node.spawner.count("start"), "the back-off of a second crash");
    node.loop.advance(1);
    assertEquals(3, node.spawner.count("start"));
    assertEquals(BOTH, states());
    assertEquals(2, node.log.snapshot().modules().size());
  }

  @Test
  void withoutRoomItWaitsForTheNextContainer() throws Exception {
    setup("jane", "a.b", "1.0.0");
    lates = 2;
    node.born = agent -> agent.fullModule = lates-- > 0 ? "a.b" : "";
    node.die("jane", "");
    node.loop.advance(20);
    assertEquals("jane/a.b=1.0.0:recovering", states());
    assertEquals("late: storage: java.io.IOException: No space left on device", because("a.b"));
    node.loop.advance(1_000 + 2_000);
    assertEquals("jane/a.b=1.0.0:running", states(), "there is room again");
    assertEquals(1, node.log.snapshot().modules().size());
  }

  private String because(String module) {
    return why(module).path("because").asText();
  }

  @Test
  void lateAgainAndAgainItIsGivenUpLikeACrashLoop() throws Exception {
    setup("jane", "a.b", "1.0.0");
    setup("jane", "c.d", "1.0.0");
    late("a.b", Integer.MAX_VALUE);
    node.die("jane", "");
    node.loop.advance(20 + 4 * FakeAgent.START_MILLIS + 1_000 + 2_000 + 4_000 + 8_000);
    assertEquals("reinstalling", why("a.b").path("state").asText(), "four times are no loop");
    assertEquals(6, node.spawner.count("start"));
    node.loop.advance(FakeAgent.START_MILLIS);
    assertEquals("jane/c.d=1.0.0:running", states());
    assertEquals(6, node.spawner.count("start"), "its neighbour's container goes on");
    assertEquals("failed", why("a.b").path("state").asText());
    assertEquals(
        "crash loop: its container ended because of it 5 times in 10 minutes, the last time by "
            + "late: timeout: did not start within 10000 ms",
        because("a.b"));
    assertEquals(1, node.log.snapshot().modules().size());
    node.loop.advance(600_000);
    assertEquals(6, node.spawner.count("start"));
  }

  @Test
  void lateStartsAndCrashesCountTogether() throws Exception {
    setup("jane", "a.b", "1.0.0");
    late("a.b", 3);
    node.die("jane", "kind=exit code=7 module=a.b thread=t dump=-");
    node.loop.advance(60_000);
    assertEquals("jane/a.b=1.0.0:running", states(), "one crash and three late starts");
    node.die("jane", "kind=exit code=7 module=a.b thread=t dump=-");
    assertEquals("", states());
    assertTrue(because("a.b").startsWith("crash loop"), because("a.b"));
  }

  @Test
  void lateStartsFarApartAreNoLoop() throws Exception {
    setup("jane", "a.b", "1.0.0");
    for (int i = 0; i < 8; i++) {
      late("a.b", 1);
      node.die("jane", "");
      node.loop.advance(181_000);
      assertEquals("jane/a.b=1.0.0:running", states(), "late start " + i);
    }
  }

  @Test
  void aFirstInstallThatIsLateFailsTowardItsCaller() throws Exception {
    late("a.b", 1);
    List<NcmReply> replies = node.send(SmallNode.sign(node.setup("jane", "a.b", "1.0.0")));
    node.loop.advance(FakeAgent.START_MILLIS);
    Answer answer = replies.get(0).answer();
    assertEquals(504, answer.status());
    assertEquals("timeout: did not start within 10000 ms", answer.reason());
    assertEquals("", states());
    node.loop.advance(60_000);
    assertEquals(1, node.spawner.count("start"));
  }

  @Test
  void anAgentThatHangsInAReinstallIsReplaced() throws Exception {
    setup("jane", "a.b", "1.0.0");
    lates = 1;
    node.born = agent -> agent.hangsInInstall = lates-- > 0;
    node.die("jane", "");
    node.loop.advance(60_020);
    assertEquals("jane/a.b=1.0.0:recovering", states());
    assertEquals(1, dumps(), "it is stopped once");
    node.loop.advance(1_000);
    assertEquals("jane/a.b=1.0.0:running", states());
    assertEquals(3, node.spawner.count("start"));
  }

  @Test
  void aRefreshThatItDoesNotStartWithIsTakenBack() throws Exception {
    setup("jane", "a.b", "1.0.0");
    late("a.b", 1);
    node.die("jane", "");
    List<NcmReply> replies =
        node.send(
            SmallNode.sign(
                node.setup("jane", "a.b", "1.0.0").set(Header.PROPERTIES, "limit=many")));
    node.loop.advance(20 + FakeAgent.START_MILLIS);
    assertEquals(504, replies.get(0).answer().status());
    node.loop.advance(1_000);
    assertEquals("jane/a.b=1.0.0:running", states());
    assertEquals(
        "{}",
        node.agents.get("jane").asked.stream()
            .filter(r -> r.path("op").asText().equals("install"))
            .findFirst()
            .orElseThrow()
            .path("properties")
            .toString(),
        "with what it had");
  }
}
