// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.netserv.servicerouter.Datagrams.prefix;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.netserv.packet.RuleBoard;
import org.netserv.packet.RuleBoard.Entry;
import org.netserv.packet.RuleBoard.Page;
import org.netserv.serval.Endpoint;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.Target;
import org.netserv.servicerouter.Datagrams;

/** The rules of a router as its operator sees them. */
class ShownRulesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final RuleBoard board = new RuleBoard();

  private Page ask(Stage stage, String id, int most) throws Exception {
    var thread = Executors.newSingleThreadExecutor();
    try {
      CompletableFuture<Page> page = new CompletableFuture<>();
      thread.execute(
          () -> {
            try {
              page.complete(board.ask(id, most, PATIENCE));
            } catch (InterruptedException e) {
              page.completeExceptionally(e);
            }
          });
      RuleBoard.Question question = board.next();
      while (question == null) {
        Thread.sleep(1);
        question = board.next();
      }
      stage.router.show(question, stage.now);
      return page.get();
    } finally {
      thread.shutdown();
    }
  }

  private static String line(Entry entry) {
    String prefix = entry.prefix().substring(0, 8) + "/" + entry.bits();
    String rank = entry.preference() + "/" + entry.priority() + "*" + entry.weight();
    String where = entry.inKernel() ? "kernel" : "module";
    return "%s %s %s %s %ds %s %s"
        .formatted(
            prefix, entry.action(), entry.target(), rank, entry.seconds(), entry.hits(), where);
  }

  private static List<String> lines(Page page) {
    return page.entries().stream().map(ShownRulesTest::line).toList();
  }

  @Test
  void prefixActionTargetRankLifetimeHitsAndPlace() throws Exception {
    Stage stage =
        new Stage(
            Stage.forward(prefix("0000"), Stage.host(9, 9)),
            Stage.forward(prefix("52"), new Endpoint(0xfdL << 56, 1, 9)),
            Stage.rule(prefix("53"), RuleAction.DROP, Target.NONE));
    stage.take(Datagrams.registration(false, prefix("00004001")), Stage.host(7, 70));
    stage.router.tick(stage.now);
    stage.now += 1500;
    Page all = ask(stage, null, 9);
    assertEquals(5, all.count()); // with the router's own
    List<String> lines = lines(all);
    assertEquals("00000000/16 forward 10.0.0.9:9 0/0*1 -1s 0 kernel", lines.get(0));
    assertEquals(
        "00004001/32 forward 10.0.0.7:70 "
            + "0/100*1 %ds 0 kernel".formatted(Stage.LIFE / 1000 - 2),
        lines.get(1));
    assertEquals("registration 10.0.0.7", all.entries().get(1).origin());
    assertEquals("52000000/8 forward [fd00:0:0:0:0:0:0:1]:9 0/0*1 -1s 0 module", lines.get(3));
    assertEquals("53000000/8 drop  0/0*1 -1s 0 module", lines.get(4));
    Page one = ask(stage, "00004001", 1);
    assertEquals(2, one.count());
    assertEquals(List.of(lines.get(1)), lines(one));
    assertEquals(0, ask(stage, "60", 9).count());
  }

  @Test
  void nobodyAnswers() throws Exception {
    assertNull(board.ask(null, 1, Duration.ofMillis(1)));
    assertNull(board.next()); // it does not wait any more
  }
}
