// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.servicerouter.Datagrams.prefix;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.packet.Relay;
import org.netserv.packet.ServiceRuleEntry.Kind;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.table.Origin;
import org.netserv.serval.table.Rank;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.Target;
import org.netserv.servicerouter.Datagrams;

/** The kernel's rules follow the table's. */
class KernelRulesTest {
  private static final String PEER = "peer0:54325";

  private static void tick(Stage stage, long millis) {
    stage.now += millis;
    stage.router.tick(stage.now);
  }

  private static Rule to(String digits, int port) {
    return Stage.forward(prefix(digits), Stage.host(9, port));
  }

  /** Returns a stage after the first look, and the rules that the kernel has. */
  private static Stage begun(Rule... rules) {
    Stage stage = new Stage(rules);
    tick(stage, 0);
    return stage;
  }

  @Test
  void theLongestPrefixComesFirst() {
    Stage stage =
        begun(to("0000", 1), to("00004001", 2), Stage.of(Datagrams.SHOP, RuleAction.DELAY));
    assertEquals(List.of(PEER, "module256", "target32:2", "target16:1"), stage.kernel.words());
    assertEquals(4, stage.count(Outcome.KERNEL_ASKED));
    assertEquals(60_005, stage.kernel.rules.get(0).seconds);
    tick(stage, 5000);
    assertEquals(4, stage.kernel.news().size());
    stage.router.end(true, stage.now);
    assertEquals(List.of(), stage.kernel.words());
  }

  @Test
  void theRoutersOwnIdIsLeftToTheModuleIfAPrefixCoversIt() {
    assertEquals(List.of(PEER, "target8:1"), begun(to("51", 1)).kernel.words());
    Rule all = Stage.forward(ServicePrefix.DEFAULT, Stage.host(9, 1));
    assertEquals(List.of("module256", PEER, "target0:1"), begun(all).kernel.words());
  }

  @Test
  void otherActionsManyTargetsAndIpv6AreLeftToTheModule() {
    Rule six = Stage.forward(prefix("52"), new Endpoint(0xfdL << 56, 1, 9));
    Rule drop = Stage.rule(prefix("53"), RuleAction.DROP, Target.NONE);
    assertEquals(List.of(PEER, "module8", "module8"), begun(six, drop).kernel.words());
    List<Rule> targets = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Origin origin = new Origin(Origin.Kind.MODULE, "" + i);
      targets.add(
          new Rule(
              prefix("54"),
              RuleAction.FORWARD,
              Target.address(Stage.host(9, 1 + i)),
              Rank.ZERO,
              3,
              origin,
              Rule.FOREVER));
    }
    Stage eight = begun(targets.toArray(Rule[]::new));
    assertEquals(9, eight.kernel.rules.size());
    assertEquals(3, eight.kernel.rules.get(1).entry().weight());
  }

  @Test
  void registrationsComeAndGo() {
    Stage stage = begun(to("0000", 1));
    stage.kernel.news();
    stage.take(Datagrams.registration(false, prefix("00004001")), Stage.host(7, 70));
    tick(stage, 100);
    assertEquals(List.of("+target32:70"), stage.kernel.news());
    assertEquals(Stage.LIFE / 1000 + 5, last(stage).seconds + 1);
    tick(stage, 1000);
    stage.take(Datagrams.registration(false, prefix("00004001")), Stage.host(7, 70));
    tick(stage, 1000);
    assertEquals(List.of(), stage.kernel.news(), "the kernel's rule lives long enough yet");
    tick(stage, 10_000);
    stage.take(Datagrams.registration(false, prefix("00004001")), Stage.host(7, 70));
    tick(stage, 1000);
    assertEquals(List.of("~target32:70"), stage.kernel.news());
    stage.take(Datagrams.registration(true, prefix("00004001")), Stage.host(7, 70));
    tick(stage, 100);
    assertEquals(List.of("-target32:70"), stage.kernel.news());
    stage.take(Datagrams.registration(false, prefix("00004001")), Stage.host(7, 70));
    tick(stage, 100);
    tick(stage, Stage.LIFE);
    tick(stage, 200);
    assertEquals(List.of("+target32:70", "-target32:70"), stage.kernel.news());
  }

  private static FakeKernel.Taken last(Stage stage) {
    return stage.kernel.rules.get(stage.kernel.rules.size() - 1);
  }

  @Test
  void theKernelsRuleNeverEndsBeforeTheTables() {
    Stage stage = begun(to("0000", 1));
    long end = 0;
    for (int i = 0; i < 300; i++) {
      stage.take(Datagrams.registration(false, prefix("00004001")), Stage.host(7, 70));
      long until = stage.now + Stage.LIFE;
      tick(stage, 1000);
      for (String event : stage.kernel.news()) {
        end = event.contains("target32") ? stage.now + 1000L * last(stage).seconds : end;
      }
      assertTrue(end >= until, i + ": " + end + " before " + until);
    }
  }

  @Test
  void aPrefixWhoseTargetIsRefusedIsLeftToTheModule() {
    Stage stage = new Stage(to("0000", 1), to("51", 2));
    stage.kernel.refusals.put(2, "target");
    tick(stage, 0);
    tick(stage, 1000);
    tick(stage, 1000);
    assertEquals(List.of(PEER, "target16:1", "module8"), stage.kernel.words());
    assertEquals(1, stage.count(Outcome.KERNEL_REFUSED));
    stage.kernel.news();
    tick(stage, 5000);
    assertEquals(List.of(), stage.kernel.news());
  }

  @Test
  void allPrefixesOrNone() {
    Stage stage = new Stage(to("0000", 1), Stage.rule(prefix("51"), RuleAction.DELAY, Target.NONE));
    stage.kernel.refusals.put(Kind.MODULE, "lengths");
    tick(stage, 0);
    tick(stage, 1000);
    assertEquals(List.of(), stage.kernel.words());
    assertEquals(1, stage.count(Outcome.KERNEL_OFF));
    stage.kernel.refusals.clear();
    tick(stage, 29_000);
    assertEquals(List.of(), stage.kernel.words());
    tick(stage, 1000);
    assertEquals(3, stage.kernel.rules.size());
    Stage narrow = new Stage(to("0000", 1), to("51", 2));
    narrow.kernel.places = 2;
    tick(narrow, 0);
    assertEquals(List.of(), narrow.kernel.words());
    assertEquals(1, narrow.count(Outcome.KERNEL_OFF));
  }

  @Test
  void anEndedRuleIsAskedForAgain() {
    Stage stage = begun(to("51", 1));
    last(stage).state = Relay.State.ENDED;
    stage.kernel.news();
    tick(stage, 1000);
    assertEquals(List.of("~target8:1"), stage.kernel.news());
    stage.kernel.available = false;
    last(stage).state = Relay.State.ENDED;
    tick(stage, 1000);
    assertEquals(List.of(), stage.kernel.news());
  }

  @Test
  void theRouterIsNamedAsClientsSendToIt() {
    Stage stage = begun(to("51", 1));
    assertEquals(54325, stage.kernel.rules.get(0).entry().router().getPort());
    assertEquals("10.0.0.254", stage.kernel.rules.get(0).entry().router().getHostString());
  }
}
