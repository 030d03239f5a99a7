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
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.table.Origin;
import org.netserv.serval.table.Rank;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.TableRefusal;
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
    assertEquals(List.of("module256", PEER, "target32:2", "target16:1"), stage.kernel.words());
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
    assertEquals(List.of(), begun(six, drop).kernel.words(), "no rule leaves them, too");
    assertEquals(
        List.of("module8", "module8", PEER, "target4:1"),
        begun(six, drop, to("5", 1)).kernel.words());
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
    assertEquals(List.of(PEER, "target16:1"), stage.kernel.words());
    assertEquals(1, stage.count(Outcome.KERNEL_REFUSED));
    stage.kernel.news();
    tick(stage, 5000);
    assertEquals(List.of(), stage.kernel.news());
    assertEquals(TableRefusal.OK, stage.router.put(to("5", 3), stage.now));
    tick(stage, 0);
    assertEquals(List.of("+module8", "+target4:3"), stage.kernel.news(), "covered now");
    assertTrue(stage.router.withdraw(to("5", 3)));
    tick(stage, 0);
    assertEquals(List.of("-module8", "-target4:3"), sorted(stage.kernel.news()));
  }

  private static List<String> sorted(List<String> words) {
    return words.stream().sorted().toList();
  }

  @Test
  void aTargetWithoutRoomIsTriedAgainLater() {
    Stage stage = new Stage(to("0000", 1), to("51", 2));
    stage.kernel.refusals.put(2, "quota");
    tick(stage, 0);
    tick(stage, 1000);
    assertEquals(List.of(PEER, "target16:1"), stage.kernel.words());
    stage.kernel.refusals.clear();
    tick(stage, 5000);
    assertEquals(List.of(PEER, "target16:1"), stage.kernel.words());
    tick(stage, 30_000);
    tick(stage, 0);
    assertEquals(List.of(PEER, "target16:1", "target8:2"), stage.kernel.words());
  }

  @Test
  void anotherWeightReplacesTheRuleAtOnce() {
    Stage stage = begun(to("51", 1));
    stage.kernel.news();
    Rule old = to("51", 1);
    Rule heavy =
        new Rule(
            old.prefix(), old.action(), old.target(), old.rank(), 7, old.origin(), Rule.FOREVER);
    assertEquals(TableRefusal.OK, stage.router.put(heavy, stage.now));
    tick(stage, 0);
    assertEquals(List.of("-target8:1", "+target8:1"), stage.kernel.news());
    assertEquals(7, last(stage).entry().weight());
  }

  private static final Endpoint SIX = new Endpoint(0xfdL << 56, 0xfe, 54325);

  @Test
  void eachFamilyHasItsRules() {
    Endpoint host = new Endpoint(0xfdL << 56, 7, 6000);
    Stage stage = new Stage(SIX, to("51", 1), Stage.forward(prefix("52"), host));
    tick(stage, 0);
    assertEquals(List.of(PEER, "target8:1", "target8:6000"), stage.kernel.words());
    assertEquals(host.port(), last(stage).entry().target().getPort());
    assertEquals("fd00:0:0:0:0:0:0:fe", last(stage).entry().router().getHostString());
    assertEquals(TableRefusal.OK, stage.router.put(to("5200", 3), stage.now));
    stage.kernel.news();
    tick(stage, 0);
    assertEquals(
        List.of("+module16", "+target16:3"),
        sorted(stage.kernel.news()),
        "IPv6 leaves a longer prefix over IPv4 to the module");
  }

  private static Rule one(int number) {
    ServiceId id = new ServiceId(0x51L << 56 | (long) number << 8, 0, 0, 0);
    Origin origin = new Origin(Origin.Kind.MODULE, "many");
    return new Rule(
        new ServicePrefix(id, 64),
        RuleAction.FORWARD,
        Target.address(Stage.host(9, 6000)),
        Rank.ZERO,
        1,
        origin,
        Rule.FOREVER);
  }

  private static final int MANY = 100_000;

  private static Stage many() {
    Stage stage = Stage.large(2 * MANY, SIX);
    stage.kernel.places = 2 * MANY;
    for (int i = 0; i < MANY; i++) {
      assertEquals(TableRefusal.OK, stage.router.put(one(i), stage.now));
    }
    return stage;
  }

  @Test
  void manyRulesComeInBoundedSteps() {
    Stage stage = many();
    int before = 0;
    int ticks = 0;
    for (; stage.kernel.rules.size() < MANY + 1; ticks++) {
      tick(stage, 100);
      int now = stage.kernel.rules.size();
      assertTrue(now > before && now - before <= 4100, before + " -> " + now);
      before = now;
    }
    assertTrue(ticks <= 25, "ticks: " + ticks);
    stage.kernel.news();
    assertTrue(stage.router.withdraw(one(777)));
    tick(stage, 0);
    assertEquals(List.of("-target64:6000"), stage.kernel.news(), "by the change alone");
  }

  /** The kernel has lost all rules: bpfd was killed. */
  @Test
  void manyRulesComeBackWithinSeconds() {
    Stage stage = many();
    for (int i = 0; i < 25; i++) {
      tick(stage, 100);
    }
    stage.kernel.rules.forEach(rule -> rule.state = Relay.State.ENDED);
    stage.kernel.news();
    for (int i = 0; i < 15; i++) {
      tick(stage, 100);
    }
    assertEquals(MANY + 1, stage.kernel.news().size());
    assertEquals(
        0, stage.kernel.rules.stream().filter(rule -> rule.state == Relay.State.ENDED).count());
  }

  /** A question went to a bpfd that was killed before it answered. */
  @Test
  void aLostQuestionIsAskedAgain() {
    Stage stage = begun(to("51", 1));
    last(stage).state = Relay.State.ASKED;
    stage.kernel.news();
    tick(stage, 4000);
    assertEquals(List.of(), stage.kernel.news());
    tick(stage, 1000);
    assertEquals(List.of("~target8:1"), stage.kernel.news());
  }

  @Test
  void allPrefixesOrNone() {
    Stage stage = new Stage(to("0000", 1), Stage.of(Datagrams.SHOP, RuleAction.DELAY));
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
    Stage narrow = new Stage(to("0000", 1), Stage.of(Datagrams.SHOP, RuleAction.DELAY));
    narrow.kernel.places = 0;
    tick(narrow, 0);
    assertEquals(List.of(), narrow.kernel.words());
    assertEquals(1, narrow.count(Outcome.KERNEL_OFF));
  }

  @Test
  void theKernelRoutesThosePrefixesThatHaveRoom() {
    Stage stage = new Stage(to("0000", 1), to("51", 2));
    stage.kernel.places = 2;
    tick(stage, 0);
    assertEquals(List.of(PEER, "target16:1"), stage.kernel.words());
    stage.kernel.places = 3;
    tick(stage, 30_000);
    assertEquals(List.of(PEER, "target16:1", "target8:2"), stage.kernel.words());
    assertEquals(0, stage.count(Outcome.KERNEL_OFF));
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
